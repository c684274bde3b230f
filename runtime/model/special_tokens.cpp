#include "troupe/model/special_tokens.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::model {
namespace {

Result<std::optional<TokenId>> read_id(const ModelFile& file, std::string_view key,
                                       std::size_t num_tokens) {
  const auto id = file.find_int(key);
  if (!id) return fail(id.error());
  if (!*id) return std::nullopt;
  if (**id >= 0 && static_cast<std::uint64_t>(**id) < num_tokens &&
      **id <= std::numeric_limits<TokenId>::max())
    return static_cast<TokenId>(**id);
  return fail(ErrorCode::invalid_argument,
              std::string(key) + " = " + std::to_string(**id) +
                  ": expected a token id below the number of tokens, " +
                  std::to_string(num_tokens));
}

template <class T>
Result<void> check_length(const Result<std::span<const T>>& array, std::string_view key,
                          std::size_t num_tokens) {
  if (!array) return fail(array.error());
  if (array->empty() || array->size() == num_tokens) return {};
  return fail(ErrorCode::invalid_argument, std::string(key) + " has " +
                                               std::to_string(array->size()) +
                                               " elements, expected one for each of the " +
                                               std::to_string(num_tokens) + " tokens");
}

Result<void> check_arrays(const ModelFile& file, std::size_t num_tokens) {
  constexpr std::string_view kScores = "tokenizer.ggml.scores";
  constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
  if (auto fits = check_length(file.find_doubles(kScores), kScores, num_tokens); !fits) return fits;
  return check_length(file.find_ints(kTypes), kTypes, num_tokens);
}

}  // namespace

Result<SpecialTokens> read_special_tokens(const ModelFile& file) {
  SpecialTokens special;
  const auto tokens = file.find_strings("tokenizer.ggml.tokens");
  if (!tokens) return fail(tokens.error());
  if (auto fit = check_arrays(file, tokens->size()); !fit) return fail(fit.error());
  const std::array<std::pair<std::string_view, std::optional<TokenId>*>, 5> ids = {{
      {"tokenizer.ggml.bos_token_id", &special.bos},
      {"tokenizer.ggml.eos_token_id", &special.eos},
      {"tokenizer.ggml.eot_token_id", &special.eot},
      {"tokenizer.ggml.unknown_token_id", &special.unknown},
      {"tokenizer.ggml.padding_token_id", &special.padding},
  }};
  for (const auto& [key, field] : ids) {
    auto id = read_id(file, key, tokens->size());
    if (!id) return fail(id.error());
    *field = *id;
  }
  auto add_bos = file.find_bool("tokenizer.ggml.add_bos_token");
  if (!add_bos) return fail(add_bos.error());
  auto add_eos = file.find_bool("tokenizer.ggml.add_eos_token");
  if (!add_eos) return fail(add_eos.error());
  special.add_bos = *add_bos;
  special.add_eos = *add_eos;
  return special;
}

}  // namespace troupe::model
