#pragma once
#include "kernels/lanes/isa.h"

#include <cstdint>
#include <cstring>

namespace troupe::lanes {
inline namespace TROUPE_ISA {

inline std::uint32_t float_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_of_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float float_of_bf16(std::uint16_t value) {
  return float_of_bits(static_cast<std::uint32_t>(value) << 16);
}

/// Rounds to nearest, ties to even; a NaN stays a NaN.
inline std::uint16_t bf16_of_float(float value) {
  const std::uint32_t bits = float_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// Exact, as vcvtph2ps: subnormal, infinite and NaN inputs included.
inline float float_of_f16(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 31) return float_of_bits(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return float_of_bits(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return float_of_bits(sign | float_bits(magnitude));
}

/// Rounds to nearest, ties to even, as vcvtps2ph; too large a magnitude becomes infinite.
inline std::uint16_t f16_of_float(float value) {
  const std::uint32_t bits = float_bits(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 65520
  if (magnitude < 0x38800000u) {                                                    // < 2^-14
    // Adding 0.5 puts the last bit of a subnormal half at the last bit of the float's fraction.
    const std::uint32_t rounded = float_bits(float_of_bits(magnitude) + 0.5f) - 0x3f000000u;
    return static_cast<std::uint16_t>(sign | rounded);
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

}  // namespace TROUPE_ISA
}  // namespace troupe::lanes
