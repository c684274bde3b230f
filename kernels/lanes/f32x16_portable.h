#pragma once
#include <cmath>

// Part of f32x16.h.
namespace troupe::lanes {
inline namespace TROUPE_ISA {

struct F32x16 {
  float v[16];

  static F32x16 zero() { return all(0); }
  static F32x16 all(float x) {
    return make([&](int) { return x; });
  }
  static F32x16 load(const float* p) {
    return make([&](int i) { return p[i]; });
  }
  /// The first `count` lanes from memory, the others 0. Nothing past them is read.
  static F32x16 load_first(const float* p, int count) {
    return make([&](int i) { return i < count ? p[i] : 0.0f; });
  }
  static F32x16 load_bf16(const std::uint16_t* p) {
    return make([&](int i) { return float_of_bf16(p[i]); });
  }
  static F32x16 load_int8(const std::int8_t* p) {
    return make([&](int i) { return static_cast<float>(p[i]); });
  }
  static F32x16 load_f16(const std::uint16_t* p) {
    return make([&](int i) { return float_of_f16(p[i]); });
  }
  void store(float* p) const { store_first(p, 16); }
  void store_first(float* p, int count) const {
    for (int i = 0; i < 16 && i < count; ++i)
      p[i] = v[i];
  }

  template <class Lane>
  static F32x16 make(const Lane& lane) {
    F32x16 result;
    for (int i = 0; i < 16; ++i)
      result.v[i] = lane(i);
    return result;
  }
};

inline F32x16 operator+(F32x16 a, F32x16 b) {
  return F32x16::make([&](int i) { return a.v[i] + b.v[i]; });
}
inline F32x16 operator-(F32x16 a, F32x16 b) {
  return F32x16::make([&](int i) { return a.v[i] - b.v[i]; });
}
inline F32x16 operator*(F32x16 a, F32x16 b) {
  return F32x16::make([&](int i) { return a.v[i] * b.v[i]; });
}
inline F32x16 operator/(F32x16 a, F32x16 b) {
  return F32x16::make([&](int i) { return a.v[i] / b.v[i]; });
}
/// a * b + c, rounded once: a call of the C library where the processor has no such instruction.
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
  return F32x16::make([&](int i) { return std::fmaf(a.v[i], b.v[i], c.v[i]); });
}
/// a > b ? a : b; b where either is NaN.
inline F32x16 max(F32x16 a, F32x16 b) {
  return F32x16::make([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
/// a < b ? a : b; b where either is NaN.
inline F32x16 min(F32x16 a, F32x16 b) {
  return F32x16::make([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
/// Lanes before `count` from a, the others from b.
inline F32x16 first_lanes(int count, F32x16 a, F32x16 b) {
  return F32x16::make([&](int i) { return i < count ? a.v[i] : b.v[i]; });
}
/// 0 where x < bound, else value; a NaN in x keeps value.
inline F32x16 zero_below(F32x16 x, F32x16 bound, F32x16 value) {
  return F32x16::make([&](int i) { return x.v[i] < bound.v[i] ? 0.0f : value.v[i]; });
}
/// 2^n, where the integer n (-126..127) stands in the low bits of x's representation.
inline F32x16 power_of_low_bits(F32x16 x) {
  return F32x16::make(
      [&](int i) { return float_of_bits((float_bits(x.v[i]) << 23) + 0x3f800000u); });
}

}  // namespace TROUPE_ISA
}  // namespace troupe::lanes
