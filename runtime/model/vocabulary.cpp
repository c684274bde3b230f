#include "troupe/model/vocabulary.h"

#include "troupe/core/utf8.h"
#include "troupe/model/byte_alphabet.h"
#include "troupe/model/quote.h"

#include <algorithm>
#include <limits>

namespace troupe::model {
namespace {

constexpr std::string_view kPrefix = "tokenizer.ggml.";
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

/// Control tokens that end an answer in the chat formats in use. A file names only one or two of
/// its own as eos and eot; a model that was tuned on several may write any of them.
constexpr std::string_view kEndTexts[] = {
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<end_of_turn>",
    "<turn|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|return|>",
    "<|call|>",
    "<|END_OF_TURN_TOKEN|>",
    "<｜end▁of▁sentence｜>",
};

std::string key_of(std::string_view name) {
  return std::string(kPrefix).append(name);
}

tl::unexpected<Error> bad(std::string_view name, std::string message) {
  return fail(ErrorCode::invalid_argument, key_of(name) + ": " + std::move(message));
}

Result<VocabularyKind> read_kind(const ModelFile& file) {
  const auto name = file.get_string("tokenizer.ggml.model");
  if (!name) return fail(name.error());
  if (*name == "gpt2") return VocabularyKind::byte_level;
  if (*name == "llama") return VocabularyKind::sentencepiece;
  return fail(ErrorCode::unsupported,
              "tokenizer.ggml.model: " + quote(*name) +
                  " is not supported; expected \"gpt2\" (byte-level BPE) or \"llama\" "
                  "(SentencePiece BPE)");
}

void append_with_spaces(std::string& out, std::string_view token) {
  while (!token.empty()) {
    const auto mark = token.find(kSpaceMark);
    out.append(token.substr(0, mark));
    if (mark == std::string_view::npos) return;
    out.push_back(' ');
    token.remove_prefix(mark + kSpaceMark.size());
  }
}

/// The byte that a token such as <0x0A> names.
std::optional<std::uint8_t> named_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  const int high = digit(token[3]), low = digit(token[4]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<std::uint8_t>(high * 16 + low);
}

}  // namespace

Result<std::shared_ptr<const Vocabulary>> Vocabulary::read(const ModelFile& file) {
  std::shared_ptr<Vocabulary> built(new Vocabulary());
  const auto kind = read_kind(file);
  if (!kind) return fail(kind.error());
  built->kind_ = *kind;
  const auto tokens = file.find_strings("tokenizer.ggml.tokens");
  if (!tokens) return fail(tokens.error());
  if (tokens->empty())
    return fail(ErrorCode::not_found, "tokenizer.ggml.tokens: the file has no vocabulary");
  if (tokens->size() > static_cast<std::size_t>(std::numeric_limits<TokenId>::max()))
    return bad("tokens", std::to_string(tokens->size()) + " tokens do not fit 31-bit ids");
  if (auto done = built->read_types(file, tokens->size()); !done) return fail(done.error());
  if (auto done = built->read_special(file); !done) return fail(done.error());
  if (auto done = built->read_texts(*tokens); !done) return fail(done.error());
  built->find_end_of_generation();
  return built;
}

Result<void> Vocabulary::read_types(const ModelFile& file, std::size_t count) {
  types_.assign(count, TokenType::normal);
  if (file.metadata("tokenizer.ggml.token_type") == nullptr) return {};
  const auto types = file.find_ints("tokenizer.ggml.token_type");
  if (!types) return fail(types.error());
  if (types->size() != count)
    return bad("token_type", std::to_string(types->size()) + " types for " + std::to_string(count) +
                                 " tokens; expected one each");
  for (std::size_t i = 0; i < count; ++i) {
    if ((*types)[i] < 1 || (*types)[i] > 6)
      return bad("token_type", "token " + std::to_string(i) + " has type " +
                                   std::to_string((*types)[i]) + "; expected 1 to 6");
    types_[i] = static_cast<TokenType>((*types)[i]);
  }
  return {};
}

Result<void> Vocabulary::read_special(const ModelFile& file) {
  const bool typed = file.metadata("tokenizer.ggml.token_type") != nullptr;
  for (const auto key : file.metadata_keys()) {
    if (!key.starts_with(kPrefix) || !key.ends_with("_token_id")) continue;
    const auto name = key.substr(kPrefix.size());
    const auto id = file.get_int(key);
    if (!id) return fail(id.error());
    if (*id < 0 || *id >= size())
      return bad(name, "id " + std::to_string(*id) + " is out of range; the vocabulary has " +
                           std::to_string(size()) + " tokens");
    const auto token = static_cast<TokenId>(*id);
    if (name == "bos_token_id") special_.bos = token;
    if (name == "eos_token_id") special_.eos = token;
    if (name == "eot_token_id") special_.end_of_turn = token;
    if (name == "eom_token_id") special_.end_of_message = token;
    if (name == "unknown_token_id") special_.unknown = token;
    if (name == "padding_token_id") special_.padding = token;
    // Files of before token types: what a key names is no ordinary text.
    if (!typed) types_[static_cast<std::size_t>(token)] = TokenType::control;
  }
  return {};
}

Result<void> Vocabulary::read_texts(std::span<const std::string_view> tokens) {
  std::size_t total = 0;
  for (const auto token : tokens)
    total += token.size();
  arena_.reserve(total);
  begins_.reserve(tokens.size() + 1);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    begins_.push_back(arena_.size());
    if (auto done = append_text(i, tokens[i]); !done) return done;
  }
  begins_.push_back(arena_.size());
  for (TokenId id = 0; id < size(); ++id)
    if (auto done = note_byte_token(id); !done) return done;
  return {};
}

Result<void> Vocabulary::append_text(std::size_t index, std::string_view token) {
  const TokenType type = types_[index];
  const bool plain = type == TokenType::normal || type == TokenType::unused;
  if (type == TokenType::byte) {
    const auto byte = named_byte(token);
    if (!byte)
      return bad("tokens", "token " + std::to_string(index) + " has the type of a byte but is " +
                               quote(token) + "; expected a name such as <0x0A>");
    arena_.push_back(static_cast<char>(*byte));
  } else if (kind_ == VocabularyKind::sentencepiece) {
    if (plain || type == TokenType::user_defined)
      append_with_spaces(arena_, token);
    else
      arena_.append(token);
  } else if (!plain || !read_alphabet(token, arena_)) {
    arena_.append(token);  // added tokens are written as they are
  }
  return {};
}

Result<void> Vocabulary::note_byte_token(TokenId id) {
  const auto bytes = text(id);
  if (bytes.size() != 1) return {};
  auto& known = byte_tokens_[static_cast<std::uint8_t>(bytes[0])];
  if (kind_ == VocabularyKind::byte_level) {
    const auto kind = type(id);
    const bool plain = kind == TokenType::normal || kind == TokenType::byte;
    // A token of the vocabulary proper goes before an added one with the same text.
    if (plain && (known < 0 || type(known) == TokenType::user_defined)) known = id;
    if (kind == TokenType::user_defined && known < 0) known = id;
    return {};
  }
  if (type(id) != TokenType::byte) return {};
  if (known >= 0)
    return bad("tokens", "tokens " + std::to_string(known) + " and " + std::to_string(id) +
                             " both stand for the same byte");
  known = id;
  return {};
}

void Vocabulary::find_end_of_generation() {
  for (const auto id : {special_.eos, special_.end_of_turn, special_.end_of_message})
    if (id) end_of_generation_.push_back(*id);
  for (TokenId id = 0; id < size(); ++id)
    if (type(id) == TokenType::control &&
        std::find(std::begin(kEndTexts), std::end(kEndTexts), text(id)) != std::end(kEndTexts))
      end_of_generation_.push_back(id);
  std::sort(end_of_generation_.begin(), end_of_generation_.end());
  end_of_generation_.erase(std::unique(end_of_generation_.begin(), end_of_generation_.end()),
                           end_of_generation_.end());
}

}  // namespace troupe::model
