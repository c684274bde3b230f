#pragma once
#include <immintrin.h>

// Part of f32x16.h.
namespace troupe::lanes {
inline namespace TROUPE_ISA {

struct F32x16 {
  __m256 lo, hi;

  static F32x16 zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static F32x16 all(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static F32x16 load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  /// The first `count` lanes from memory, the others 0. Nothing past them is read.
  static F32x16 load_first(const float* p, int count) {
    return {_mm256_maskload_ps(p, first_mask(count)),
            _mm256_maskload_ps(p + 8, first_mask(count - 8))};
  }
  static F32x16 load_bf16(const std::uint16_t* p) { return {widen_bf16(p), widen_bf16(p + 8)}; }
  static F32x16 load_int8(const std::int8_t* p) { return {widen_int8(p), widen_int8(p + 8)}; }
  static F32x16 load_f16(const std::uint16_t* p) { return {widen_f16(p), widen_f16(p + 8)}; }
  void store(float* p) const {
    _mm256_storeu_ps(p, lo);
    _mm256_storeu_ps(p + 8, hi);
  }
  void store_first(float* p, int count) const {
    _mm256_maskstore_ps(p, first_mask(count), lo);
    _mm256_maskstore_ps(p + 8, first_mask(count - 8), hi);
  }

  static __m256i first_mask(int count) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), index);
  }

 private:
  static __m256 widen_bf16(const std::uint16_t* p) {
    const auto raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(raw), 16));
  }
  static __m256 widen_int8(const std::int8_t* p) {
    const auto raw = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(raw));
  }
  static __m256 widen_f16(const std::uint16_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
};

inline F32x16 operator+(F32x16 a, F32x16 b) {
  return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}
inline F32x16 operator-(F32x16 a, F32x16 b) {
  return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}
inline F32x16 operator*(F32x16 a, F32x16 b) {
  return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}
inline F32x16 operator/(F32x16 a, F32x16 b) {
  return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
}
/// a * b + c, rounded once.
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
  return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}
/// a > b ? a : b; b where either is NaN.
inline F32x16 max(F32x16 a, F32x16 b) {
  return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)};
}
/// a < b ? a : b; b where either is NaN.
inline F32x16 min(F32x16 a, F32x16 b) {
  return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)};
}
/// Lanes before `count` from a, the others from b.
inline F32x16 first_lanes(int count, F32x16 a, F32x16 b) {
  const __m256 lo = _mm256_castsi256_ps(F32x16::first_mask(count));
  const __m256 hi = _mm256_castsi256_ps(F32x16::first_mask(count - 8));
  return {_mm256_blendv_ps(b.lo, a.lo, lo), _mm256_blendv_ps(b.hi, a.hi, hi)};
}
/// 0 where x < bound, else value; a NaN in x keeps value.
inline F32x16 zero_below(F32x16 x, F32x16 bound, F32x16 value) {
  const __m256 lo = _mm256_cmp_ps(x.lo, bound.lo, _CMP_NLT_UQ);
  const __m256 hi = _mm256_cmp_ps(x.hi, bound.hi, _CMP_NLT_UQ);
  return {_mm256_and_ps(lo, value.lo), _mm256_and_ps(hi, value.hi)};
}
/// 2^n, where the integer n (-126..127) stands in the low bits of x's representation.
inline F32x16 power_of_low_bits(F32x16 x) {
  const __m256i one = _mm256_set1_epi32(0x3f800000);
  const __m256i lo = _mm256_slli_epi32(_mm256_castps_si256(x.lo), 23);
  const __m256i hi = _mm256_slli_epi32(_mm256_castps_si256(x.hi), 23);
  return {_mm256_castsi256_ps(_mm256_add_epi32(lo, one)),
          _mm256_castsi256_ps(_mm256_add_epi32(hi, one))};
}

}  // namespace TROUPE_ISA
}  // namespace troupe::lanes
