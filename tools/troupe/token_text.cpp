#include "token_text.h"

#include "troupe/core/json.h"
#include "troupe/model/vocabulary.h"

#include <algorithm>
#include <charconv>

namespace troupe::program {
namespace {

constexpr std::string_view kSeparators = " \t\r\n,";

Result<TokenId> check_id(std::int64_t id, const TokenTable& table) {
  if (id >= 0 && id < table.size()) return static_cast<TokenId>(id);
  return fail(ErrorCode::invalid_argument, "found token id " + std::to_string(id) +
                                               "; expected 0 to " +
                                               std::to_string(table.size() - 1));
}

Result<std::vector<TokenId>> ids_of_json(std::string_view text, const TokenTable& table) {
  auto json = parse_json(text);
  if (!json) return fail_at("token ids", json.error());
  const Value* list = &*json;
  for (const auto* key : {"ids", "token_ids"})
    if (const auto* member = json->find(key)) list = member;
  if (!list->is_array())
    return fail(ErrorCode::invalid_argument,
                "found JSON of type " + std::string(list->type_name()) +
                    "; expected an array of token ids, or an object with one under \"ids\"");
  std::vector<TokenId> ids;
  for (const auto& item : list->as_array()) {
    if (!item.is_int())
      return fail(ErrorCode::invalid_argument,
                  "found " + to_json(item) + " among the token ids; expected whole numbers");
    auto id = check_id(item.as_int(), table);
    if (!id) return fail(id.error());
    ids.push_back(*id);
  }
  return ids;
}

Result<std::vector<TokenId>> ids_of_words(std::string_view text, const TokenTable& table) {
  std::vector<TokenId> ids;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
    if (text.empty()) return ids;
    const auto word = text.substr(0, text.find_first_of(kSeparators));
    text.remove_prefix(word.size());
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || stop != word.data() + word.size())
      return fail(ErrorCode::invalid_argument,
                  "found '" + std::string(word.substr(0, 40)) +
                      "'; expected token ids: numbers with spaces between them, or a JSON array");
    auto id = check_id(number, table);
    if (!id) return fail(id.error());
    ids.push_back(*id);
  }
}

}  // namespace

std::string_view token_text(const TokenTable& table, TokenId id) {
  const auto* vocabulary = dynamic_cast<const model::Vocabulary*>(&table);
  return vocabulary ? vocabulary->text(id) : table.bytes(id);
}

std::string decode(const Tokenizer& tokenizer, std::span<const TokenId> ids, bool show_control) {
  std::string text;
  DecodeState state;
  state.show_control = show_control;
  for (const auto id : ids)
    tokenizer.decode(state, id, text);
  tokenizer.finish(state, text);
  return text;
}

Result<std::vector<TokenId>> parse_ids(std::string_view text, const TokenTable& table) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  const bool json = begin != std::string_view::npos && (text[begin] == '[' || text[begin] == '{');
  return json ? ids_of_json(text, table) : ids_of_words(text, table);
}

Value ids_to_value(std::span<const TokenId> ids) {
  Value::Array array;
  for (const auto id : ids)
    array.emplace_back(static_cast<std::int64_t>(id));
  return array;
}

}  // namespace troupe::program
