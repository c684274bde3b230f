#include "troupe/model/float_bits.h"
#include "troupe/model/quantization/blocks.h"
#include "troupe/model/quantization/dequantize_families.h"

namespace troupe::model::quantization {
namespace {

void convert(const BlockQ8_0& block, float* out) {
  const float scale = half_to_float(block.scale);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(block.quants[i]);
}

/// Element i (0 to 31) of four-bit numbers that lie as BlockQ4_0 says.
int low_bits(const std::array<std::uint8_t, 16>& quants, std::size_t i) {
  return i < 16 ? quants[i] & 15 : quants[i - 16] >> 4;
}

int high_bit(const std::array<std::uint8_t, 4>& high_bits, std::size_t i) {
  return ((high_bits[i / 8] >> (i % 8)) & 1) << 4;
}

void convert(const BlockQ4_0& block, float* out) {
  const float scale = half_to_float(block.scale);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(low_bits(block.quants, i) - 8);
}

void convert(const BlockQ4_1& block, float* out) {
  const float scale = half_to_float(block.scale);
  const float minimum = half_to_float(block.minimum);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(low_bits(block.quants, i)) + minimum;
}

void convert(const BlockQ5_0& block, float* out) {
  const float scale = half_to_float(block.scale);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] =
        scale * static_cast<float>((low_bits(block.quants, i) | high_bit(block.high_bits, i)) - 16);
}

void convert(const BlockQ5_1& block, float* out) {
  const float scale = half_to_float(block.scale);
  const float minimum = half_to_float(block.minimum);
  for (std::size_t i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(low_bits(block.quants, i) | high_bit(block.high_bits, i)) +
             minimum;
}

template <class Block>
void convert_row(const std::byte* row, float* out, std::int64_t elements) {
  for_each_block<Block>(row, out, elements, kGroup,
                        [](const Block& block, float* to) { convert(block, to); });
}

}  // namespace

void dequantize_groups(WeightType type, const std::byte* row, float* out, std::int64_t elements) {
  switch (type) {
    case WeightType::q8_0:
      return convert_row<BlockQ8_0>(row, out, elements);
    case WeightType::q4_0:
      return convert_row<BlockQ4_0>(row, out, elements);
    case WeightType::q4_1:
      return convert_row<BlockQ4_1>(row, out, elements);
    case WeightType::q5_0:
      return convert_row<BlockQ5_0>(row, out, elements);
    default:
      return convert_row<BlockQ5_1>(row, out, elements);
  }
}

}  // namespace troupe::model::quantization
