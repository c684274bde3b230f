#pragma once
// float16 and bfloat16 in portable code, for packing and for the reference.
#include <bit>
#include <cstdint>

namespace troupe::kernels {

/// The value of an IEEE 754 binary16 number.
inline float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  // Scaling by a power of two also turns subnormal halves into normal floats, exactly.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

/// The binary16 number equal to `value`, if there is one; otherwise some other number.
inline std::uint16_t half_from_exact(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const float scaled = std::bit_cast<float>(bits & 0x7fffffff) * 0x1p-112f;
  return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(scaled) >> 13 & 0x7fff));
}

/// `value` rounded to bfloat16, to the nearest even; a NaN stays one.
inline float round_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return std::bit_cast<float>((bits & 0xffff0000) | 0x00400000);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

}  // namespace troupe::kernels
