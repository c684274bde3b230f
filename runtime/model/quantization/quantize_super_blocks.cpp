#include "troupe/model/float_bits.h"
#include "troupe/model/quantization/blocks.h"
#include "troupe/model/quantization/quantize_families.h"

#include <algorithm>
#include <cmath>

namespace troupe::model::quantization {
namespace {

int rounded_ratio(float value, float scale, int least, int most) {
  if (scale == 0) return std::clamp(0, least, most);
  return std::clamp(static_cast<int>(std::lround(value / scale)), least, most);
}

/// Fills scale, minimum and sub_scales of a q4_k or q5_k block whose numbers go from 0 to `most`.
/// The formats subtract the minimum, so it stands for how far a sub-block reaches below zero.
template <class Block>
void choose_scales(const float* row, int most, Block& block) {
  std::array<float, 8> scales{};
  std::array<float, 8> minimums{};
  for (std::size_t s = 0; s < 8; ++s) {
    const auto [least, largest] = std::minmax_element(row + 32 * s, row + 32 * (s + 1));
    minimums[s] = -std::min(*least, 0.0f);
    scales[s] = (std::max(*largest, 0.0f) + minimums[s]) / static_cast<float>(most);
  }
  block.scale = float_to_half(*std::ranges::max_element(scales) / 63);
  block.minimum = float_to_half(*std::ranges::max_element(minimums) / 63);
  for (std::size_t s = 0; s < 8; ++s) {
    const int scale = rounded_ratio(scales[s], half_to_float(block.scale), 0, 63);
    const int minimum = rounded_ratio(minimums[s], half_to_float(block.minimum), 0, 63);
    set_sub_scale(block.sub_scales, s,
                  {static_cast<std::uint8_t>(scale), static_cast<std::uint8_t>(minimum)});
  }
}

/// Calls put(s, i, quant) for all 256 elements against the scales that the block holds.
template <class Block, class Put>
void put_all(const float* row, int most, const Block& block, Put put) {
  for (std::size_t s = 0; s < 8; ++s) {
    const auto sub = sub_scale_and_minimum(block.sub_scales, s);
    const float scale = half_to_float(block.scale) * static_cast<float>(sub.scale);
    const float minimum = half_to_float(block.minimum) * static_cast<float>(sub.minimum);
    for (std::size_t i = 0; i < 32; ++i)
      put(s, i, rounded_ratio(row[32 * s + i] + minimum, scale, 0, most));
  }
}

void put_bits(std::uint8_t& byte, int bits) {
  byte = static_cast<std::uint8_t>(byte | bits);
}

void put_low_bits(std::array<std::uint8_t, 128>& quants, std::size_t s, std::size_t i, int quant) {
  put_bits(quants[32 * (s / 2) + i], s % 2 == 0 ? quant & 15 : (quant & 15) << 4);
}

BlockQ4K make_q4_k(const float* row) {
  BlockQ4K block{};
  choose_scales(row, 15, block);
  put_all(row, 15, block, [&block](std::size_t s, std::size_t i, int quant) {
    put_low_bits(block.quants, s, i, quant);
  });
  return block;
}

BlockQ5K make_q5_k(const float* row) {
  BlockQ5K block{};
  choose_scales(row, 31, block);
  put_all(row, 31, block, [&block](std::size_t s, std::size_t i, int quant) {
    put_low_bits(block.quants, s, i, quant);
    put_bits(block.high_bits[i], (quant >> 4) << s);
  });
  return block;
}

void put_q6(BlockQ6K& block, std::size_t s, std::size_t k, int quant) {
  const std::size_t half = s / 8;
  const std::size_t part = (s % 8) / 2;
  const std::size_t i = 16 * (s % 2) + k;
  put_bits(block.low_bits[64 * half + 32 * (part % 2) + i],
           part < 2 ? quant & 15 : (quant & 15) << 4);
  put_bits(block.high_bits[32 * half + i], (quant >> 4) << (2 * part));
}

BlockQ6K make_q6_k(const float* row) {
  BlockQ6K block{};
  std::array<float, 16> scales{};
  for (std::size_t s = 0; s < 16; ++s) {
    const auto largest = *std::max_element(row + 16 * s, row + 16 * (s + 1), [](float a, float b) {
      return std::fabs(a) < std::fabs(b);
    });
    scales[s] = largest / -32;
  }
  const auto widest = *std::ranges::max_element(scales, {}, [](float s) { return std::fabs(s); });
  block.scale = float_to_half(widest / -128);
  for (std::size_t s = 0; s < 16; ++s) {
    const int sub = rounded_ratio(scales[s], half_to_float(block.scale), -128, 127);
    block.sub_scales[s] = static_cast<std::int8_t>(sub);
    const float scale = half_to_float(block.scale) * static_cast<float>(sub);
    for (std::size_t k = 0; k < 16; ++k)
      put_q6(block, s, k, rounded_ratio(row[16 * s + k], scale, -32, 31) + 32);
  }
  return block;
}

}  // namespace

void quantize_super_blocks(WeightType type, const float* row, std::byte* out,
                           std::int64_t elements) {
  switch (type) {
    case WeightType::q4_k:
      return store_blocks<BlockQ4K>(row, out, elements, kSuperBlock, make_q4_k);
    case WeightType::q5_k:
      return store_blocks<BlockQ5K>(row, out, elements, kSuperBlock, make_q5_k);
    default:
      return store_blocks<BlockQ6K>(row, out, elements, kSuperBlock, make_q6_k);
  }
}

}  // namespace troupe::model::quantization
