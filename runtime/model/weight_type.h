#pragma once
#include "troupe/model/model_file.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe::model {

/// How a type groups the elements of a row: every `elements` of them are `bytes` long in the file.
struct WeightBlock {
  std::int64_t elements = 1;
  std::int64_t bytes = 4;
};

/// The block of a type; {1, size of an element} for f32, f16 and bf16.
WeightBlock weight_block(WeightType type);

/// Bytes of a row of `elements` numbers. Pre: `elements` is a multiple of the block's elements.
std::int64_t row_bytes(WeightType type, std::int64_t elements);

/// The type that to_string calls `name`, such as "q4_1"; nullopt for any other text.
std::optional<WeightType> parse_weight_type(std::string_view name);

}  // namespace troupe::model
