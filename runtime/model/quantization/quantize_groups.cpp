#include "troupe/model/float_bits.h"
#include "troupe/model/quantization/blocks.h"
#include "troupe/model/quantization/quantize_families.h"

#include <algorithm>
#include <cmath>

namespace troupe::model::quantization {
namespace {

/// The element of largest magnitude, with its sign.
float extreme(const float* row) {
  return *std::max_element(row, row + kGroup,
                           [](float a, float b) { return std::fabs(a) < std::fabs(b); });
}

/// (value - minimum) / scale + offset, rounded and kept within 0 to most; 0 steps when scale is 0.
int steps(float value, float minimum, float scale, int offset, int most) {
  const float exact = scale == 0 ? 0 : (value - minimum) / scale;
  return std::clamp(static_cast<int>(std::lround(exact)) + offset, 0, most);
}

/// Scale and minimum as the file will hold them, so that the numbers are rounded against those.
struct Range {
  std::uint16_t scale = 0;
  std::uint16_t minimum = 0;
};

/// From the least element to the largest in `most` steps.
Range full_range(const float* row, int most) {
  const auto [least, largest] = std::minmax_element(row, row + kGroup);
  return {float_to_half((*largest - *least) / static_cast<float>(most)), float_to_half(*least)};
}

/// Symmetric: the element of largest magnitude becomes -`most_negative` steps exactly.
Range symmetric_range(const float* row, int most_negative) {
  return {float_to_half(extreme(row) / static_cast<float>(-most_negative)), 0};
}

void put_low_bits(std::array<std::uint8_t, 16>& quants, std::size_t i, int quant) {
  const int bits = i < 16 ? quant & 15 : (quant & 15) << 4;
  quants[i % 16] = static_cast<std::uint8_t>(quants[i % 16] | bits);
}

void put_high_bit(std::array<std::uint8_t, 4>& high_bits, std::size_t i, int quant) {
  high_bits[i / 8] = static_cast<std::uint8_t>(high_bits[i / 8] | ((quant >> 4) << (i % 8)));
}

/// Calls put(i, quant) for the 32 elements, each a number from 0 to `most`.
template <class Put>
void put_all(const float* row, Range range, int offset, int most, Put put) {
  const float scale = half_to_float(range.scale);
  const float minimum = half_to_float(range.minimum);
  for (std::size_t i = 0; i < 32; ++i)
    put(i, steps(row[i], minimum, scale, offset, most));
}

BlockQ8_0 make_q8_0(const float* row) {
  BlockQ8_0 block{float_to_half(std::fabs(extreme(row)) / 127), {}};
  const float scale = half_to_float(block.scale);
  for (std::size_t i = 0; i < 32; ++i)
    block.quants[i] = static_cast<std::int8_t>(steps(row[i], 0, scale, 127, 254) - 127);
  return block;
}

BlockQ4_0 make_q4_0(const float* row) {
  const auto range = symmetric_range(row, 8);
  BlockQ4_0 block{range.scale, {}};
  put_all(row, range, 8, 15, [&block](std::size_t i, int q) { put_low_bits(block.quants, i, q); });
  return block;
}

BlockQ4_1 make_q4_1(const float* row) {
  const auto range = full_range(row, 15);
  BlockQ4_1 block{range.scale, range.minimum, {}};
  put_all(row, range, 0, 15, [&block](std::size_t i, int q) { put_low_bits(block.quants, i, q); });
  return block;
}

BlockQ5_0 make_q5_0(const float* row) {
  const auto range = symmetric_range(row, 16);
  BlockQ5_0 block{range.scale, {}, {}};
  put_all(row, range, 16, 31, [&block](std::size_t i, int q) {
    put_low_bits(block.quants, i, q);
    put_high_bit(block.high_bits, i, q);
  });
  return block;
}

BlockQ5_1 make_q5_1(const float* row) {
  const auto range = full_range(row, 31);
  BlockQ5_1 block{range.scale, range.minimum, {}, {}};
  put_all(row, range, 0, 31, [&block](std::size_t i, int q) {
    put_low_bits(block.quants, i, q);
    put_high_bit(block.high_bits, i, q);
  });
  return block;
}

}  // namespace

void quantize_groups(WeightType type, const float* row, std::byte* out, std::int64_t elements) {
  switch (type) {
    case WeightType::q8_0:
      return store_blocks<BlockQ8_0>(row, out, elements, kGroup, make_q8_0);
    case WeightType::q4_0:
      return store_blocks<BlockQ4_0>(row, out, elements, kGroup, make_q4_0);
    case WeightType::q4_1:
      return store_blocks<BlockQ4_1>(row, out, elements, kGroup, make_q4_1);
    case WeightType::q5_0:
      return store_blocks<BlockQ5_0>(row, out, elements, kGroup, make_q5_0);
    default:
      return store_blocks<BlockQ5_1>(row, out, elements, kGroup, make_q5_1);
  }
}

}  // namespace troupe::model::quantization
