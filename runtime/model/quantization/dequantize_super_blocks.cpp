#include "troupe/model/float_bits.h"
#include "troupe/model/quantization/blocks.h"
#include "troupe/model/quantization/dequantize_families.h"

namespace troupe::model::quantization {
namespace {

/// Converts a block of q4_k or q5_k; `quant(s, i)` is element i of sub-block s as an integer.
template <class Block, class Quant>
void convert_with_minimum(const Block& block, float* out, Quant quant) {
  const float scale = half_to_float(block.scale);
  const float minimum = half_to_float(block.minimum);
  for (std::size_t s = 0; s < 8; ++s) {
    const auto sub = sub_scale_and_minimum(block.sub_scales, s);
    const float sub_scale = scale * static_cast<float>(sub.scale);
    const float sub_minimum = minimum * static_cast<float>(sub.minimum);
    for (std::size_t i = 0; i < 32; ++i)
      out[32 * s + i] = sub_scale * static_cast<float>(quant(s, i)) - sub_minimum;
  }
}

int low_bits(const std::array<std::uint8_t, 128>& quants, std::size_t s, std::size_t i) {
  const auto byte = quants[32 * (s / 2) + i];
  return s % 2 == 0 ? byte & 15 : byte >> 4;
}

void convert(const BlockQ4K& block, float* out) {
  convert_with_minimum(
      block, out, [&block](std::size_t s, std::size_t i) { return low_bits(block.quants, s, i); });
}

void convert(const BlockQ5K& block, float* out) {
  convert_with_minimum(block, out, [&block](std::size_t s, std::size_t i) {
    return low_bits(block.quants, s, i) | (((block.high_bits[i] >> s) & 1) << 4);
  });
}

void convert(const BlockQ6K& block, float* out) {
  const float scale = half_to_float(block.scale);
  for (std::size_t s = 0; s < 16; ++s) {
    const float sub_scale = scale * static_cast<float>(block.sub_scales[s]);
    const std::size_t half = s / 8;
    const std::size_t part = (s % 8) / 2;
    for (std::size_t k = 0; k < 16; ++k) {
      const std::size_t i = 16 * (s % 2) + k;
      const auto low = block.low_bits[64 * half + 32 * (part % 2) + i];
      const auto high = block.high_bits[32 * half + i];
      const int quant = ((part < 2 ? low & 15 : low >> 4) | (((high >> (2 * part)) & 3) << 4)) - 32;
      out[16 * s + k] = sub_scale * static_cast<float>(quant);
    }
  }
}

template <class Block>
void convert_row(const std::byte* row, float* out, std::int64_t elements) {
  for_each_block<Block>(row, out, elements, kSuperBlock,
                        [](const Block& block, float* to) { convert(block, to); });
}

}  // namespace

void dequantize_super_blocks(WeightType type, const std::byte* row, float* out,
                             std::int64_t elements) {
  switch (type) {
    case WeightType::q4_k:
      return convert_row<BlockQ4K>(row, out, elements);
    case WeightType::q5_k:
      return convert_row<BlockQ5K>(row, out, elements);
    default:
      return convert_row<BlockQ6K>(row, out, elements);
  }
}

}  // namespace troupe::model::quantization
