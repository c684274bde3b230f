#pragma once
#include "kernels/lanes/half.h"

#include <cstdint>
#include <limits>

namespace troupe::kernels {
inline namespace TROUPE_ISA {

/// The scale that stores `count` numbers in 8 bits: their largest magnitude / 127; 0 when that is
/// too small for a normal float, NaN when one of them is not finite.
inline float int8_scale(const float* values, int count) {
  // As integers, magnitudes have the order of the numbers, and NaN is the largest of all.
  std::uint32_t most = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t magnitude = lanes::float_bits(values[i]) & 0x7fffffffu;
    most = magnitude > most ? magnitude : most;
  }
  if (most >= 0x7f800000u) return std::numeric_limits<float>::quiet_NaN();
  const float scale = lanes::float_of_bits(most) / 127.0f;
  return scale < std::numeric_limits<float>::min() ? 0.0f : scale;
}

/// to[i] = values[i] / scale, rounded to nearest, ties to even; 0 when the scale is 0 or NaN. Pre:
/// scale is int8_scale's of an array with these values.
inline void quantize_int8(const float* __restrict values, int count, float scale,
                          std::int8_t* __restrict to) {
  const bool usable = scale > 0;
  // 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits.
  if (usable)
    for (int i = 0; i < count; ++i)
      to[i] = static_cast<std::int8_t>(lanes::float_bits(values[i] / scale + 12582912.0f) & 0xffu);
  else
    for (int i = 0; i < count; ++i)
      to[i] = 0;
}

}  // namespace TROUPE_ISA
}  // namespace troupe::kernels
