#include "troupe/model/tiny/options_check.h"

#include "troupe/model/weight_type.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::model::tiny {
namespace {

Result<void> check_sizes(const TinyModelOptions& options) {
  const std::pair<std::string_view, std::int64_t> sizes[] = {
      {"num_layers", options.num_layers},
      {"hidden_size", options.hidden_size},
      {"intermediate_size", options.intermediate_size},
      {"num_attention_heads", options.num_attention_heads},
      {"num_kv_heads", options.num_kv_heads},
      {"head_dim", options.head_dim},
      {"context_length", options.context_length},
  };
  // A tiny model of more would no longer be tiny, nor its products safe.
  constexpr std::int64_t kMost = 8192;
  for (const auto& [name, size] : sizes)
    if (size < 1 || size > kMost)
      return fail(ErrorCode::invalid_argument, std::string(name) + " = " + std::to_string(size) +
                                                   ": expected 1 to " + std::to_string(kMost));
  for (const auto& [name, size] :
       {std::pair<std::string_view, std::int64_t>{"padded_rows", options.padded_rows},
        {"sliding_window", options.sliding_window}})
    if (size < 0 || size > kMost)
      return fail(ErrorCode::invalid_argument, std::string(name) + " = " + std::to_string(size) +
                                                   ": expected 0 to " + std::to_string(kMost));
  if (options.num_attention_heads % options.num_kv_heads != 0 || options.head_dim % 2 != 0)
    return fail(ErrorCode::invalid_argument,
                "num_attention_heads must be a multiple of num_kv_heads, and head_dim even");
  return {};
}

/// Every row length of a matrix must be a whole number of the weight type's blocks.
Result<void> check_blocks(const TinyModelOptions& options) {
  const auto block = weight_block(options.weight_type).elements;
  const auto embedding_block =
      weight_block(options.embedding_type.value_or(options.weight_type)).elements;
  const auto heads = options.num_attention_heads * options.head_dim;
  if (options.hidden_size % block == 0 && options.intermediate_size % block == 0 &&
      heads % block == 0 && options.hidden_size % embedding_block == 0)
    return {};
  return fail(
      ErrorCode::invalid_argument,
      "hidden_size, intermediate_size and num_attention_heads * head_dim must be multiples of " +
          std::to_string(std::max(block, embedding_block)) +
          " for these weight types; tiny_model_for gives sizes that are");
}

}  // namespace

Result<void> check_options(const TinyModelOptions& options) {
  if (auto valid = check_sizes(options); !valid) return valid;
  return check_blocks(options);
}

}  // namespace troupe::model::tiny
