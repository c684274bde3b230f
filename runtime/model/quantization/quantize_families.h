#pragma once
#include "troupe/model/model_file.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

// The parts of quantize_row, one per family of formats. Each takes the types of its family only.
namespace troupe::model::quantization {

void quantize_floats(WeightType type, const float* row, std::byte* out, std::int64_t elements);
void quantize_groups(WeightType type, const float* row, std::byte* out, std::int64_t elements);
void quantize_super_blocks(WeightType type, const float* row, std::byte* out,
                           std::int64_t elements);

/// Stores one block after another: `convert(row)` makes a Block from a block's elements.
template <class Block, class Convert>
void store_blocks(const float* row, std::byte* out, std::int64_t elements,
                  std::int64_t block_elements, Convert convert) {
  for (std::int64_t i = 0; i < elements; i += block_elements) {
    const Block block = convert(row + i);
    std::memcpy(out, &block, sizeof(Block));
    out += sizeof(Block);
  }
}

}  // namespace troupe::model::quantization
