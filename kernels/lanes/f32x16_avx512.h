#pragma once
#include <immintrin.h>

// Part of f32x16.h.
namespace troupe::lanes {
inline namespace TROUPE_ISA {

struct F32x16 {
  __m512 v;

  static F32x16 zero() { return {_mm512_setzero_ps()}; }
  static F32x16 all(float x) { return {_mm512_set1_ps(x)}; }
  static F32x16 load(const float* p) { return {_mm512_loadu_ps(p)}; }
  /// The first `count` lanes from memory, the others 0. Nothing past them is read.
  static F32x16 load_first(const float* p, int count) {
    return {_mm512_maskz_loadu_ps(first_mask(count), p)};
  }
  static F32x16 load_bf16(const std::uint16_t* p) {
    const auto raw = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(raw), 16))};
  }
  static F32x16 load_int8(const std::int8_t* p) {
    const auto raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(raw))};
  }
  static F32x16 load_f16(const std::uint16_t* p) {
    return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store_first(float* p, int count) const { _mm512_mask_storeu_ps(p, first_mask(count), v); }

  static __mmask16 first_mask(int count) {
    return static_cast<__mmask16>(count >= 16 ? 0xffffu : (1u << count) - 1u);
  }
};

inline F32x16 operator+(F32x16 a, F32x16 b) {
  return {_mm512_add_ps(a.v, b.v)};
}
inline F32x16 operator-(F32x16 a, F32x16 b) {
  return {_mm512_sub_ps(a.v, b.v)};
}
inline F32x16 operator*(F32x16 a, F32x16 b) {
  return {_mm512_mul_ps(a.v, b.v)};
}
inline F32x16 operator/(F32x16 a, F32x16 b) {
  return {_mm512_div_ps(a.v, b.v)};
}
/// a * b + c, rounded once.
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
/// a > b ? a : b; b where either is NaN.
inline F32x16 max(F32x16 a, F32x16 b) {
  return {_mm512_max_ps(a.v, b.v)};
}
/// a < b ? a : b; b where either is NaN.
inline F32x16 min(F32x16 a, F32x16 b) {
  return {_mm512_min_ps(a.v, b.v)};
}
/// Lanes before `count` from a, the others from b.
inline F32x16 first_lanes(int count, F32x16 a, F32x16 b) {
  return {_mm512_mask_blend_ps(F32x16::first_mask(count), b.v, a.v)};
}
/// 0 where x < bound, else value; a NaN in x keeps value.
inline F32x16 zero_below(F32x16 x, F32x16 bound, F32x16 value) {
  return {_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x.v, bound.v, _CMP_NLT_UQ), value.v)};
}
/// 2^n, where the integer n (-126..127) stands in the low bits of x's representation.
inline F32x16 power_of_low_bits(F32x16 x) {
  const __m512i shifted = _mm512_slli_epi32(_mm512_castps_si512(x.v), 23);
  return {_mm512_castsi512_ps(_mm512_add_epi32(shifted, _mm512_set1_epi32(0x3f800000)))};
}

}  // namespace TROUPE_ISA
}  // namespace troupe::lanes
