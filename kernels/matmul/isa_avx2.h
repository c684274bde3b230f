#pragma once
// 16 lanes in two AVX2 registers.
#include "kernels/matmul/pack_kernels.h"
#include "kernels/matmul/tile_vector.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

namespace troupe::kernels {
namespace {

struct Avx2 {
  using PackLoops = PlainLoops;
  struct F {
    __m256 a, b;
  };
  struct I {
    __m256i a, b;
  };
  static constexpr int kInterleave = 1;
  static constexpr int kStreams = 1;
  static constexpr int kLargestInteger = 2;
  static constexpr int kLargestFloat = 2;
  static constexpr int kBias4 = 8;

  static F both(__m256 f) { return {f, f}; }
  static I both(__m256i i) { return {i, i}; }

  static F zero() { return both(_mm256_setzero_ps()); }
  static F load(const void* at) {
    const auto* from = static_cast<const float*>(at);
    return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
  }
  static F load_half(const void* at) {
    const auto* from = static_cast<const __m128i*>(at);
    return {_mm256_cvtph_ps(_mm_loadu_si128(from)), _mm256_cvtph_ps(_mm_loadu_si128(from + 1))};
  }
  static F broadcast(const void* at) {
    return both(_mm256_broadcast_ss(static_cast<const float*>(at)));
  }
  static F add(F x, F y) { return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)}; }
  static F mul(F x, F y) { return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)}; }
  static F fma(F x, F y, F z) {
    return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
  }
  static void store(F f, float* to) {
    _mm256_storeu_ps(to, f.a);
    _mm256_storeu_ps(to + 8, f.b);
  }
  static void store_some(F f, float* to, int count, bool accumulate) {
    float values[16];
    store(f, values);
    for (int i = 0; i < count; ++i)
      to[i] = accumulate ? to[i] + values[i] : values[i];
  }

  static I zero_int() { return both(_mm256_setzero_si256()); }
  static I set_int(int value) { return both(_mm256_set1_epi32(value)); }
  static I load_int(const void* at) {
    const auto* from = static_cast<const __m256i*>(at);
    return {_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1)};
  }
  static I broadcast_int(const void* at) {
    int value;
    std::memcpy(&value, at, 4);
    return set_int(value);
  }
  static I add_int(I x, I y) { return {_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)}; }
  static I and_int(I x, I y) { return {_mm256_and_si256(x.a, y.a), _mm256_and_si256(x.b, y.b)}; }
  template <int kBits>
  static I shift_left(I x) {
    return {_mm256_slli_epi32(x.a, kBits), _mm256_slli_epi32(x.b, kBits)};
  }
  template <int kBits>
  static I shift_right(I x) {
    return {_mm256_srli_epi32(x.a, kBits), _mm256_srli_epi32(x.b, kBits)};
  }
  template <int kBits>
  static I arithmetic_right(I x) {
    return {_mm256_srai_epi32(x.a, kBits), _mm256_srai_epi32(x.b, kBits)};
  }
  static F to_float(I x) { return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
  static F as_float(I x) { return {_mm256_castsi256_ps(x.a), _mm256_castsi256_ps(x.b)}; }

  static constexpr int kBytesAhead = 512;
  static void prefetch(const std::byte* at) {
    _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T0);
  }

  /// Codes in halves of 4 bits: 8 products of two halves with 8 bits fit into 16 bits, exactly.
  struct Halves {
    I v[8];
  };
  template <bool kFourBits, bool kMinimum>
  struct Codes {
    Halves low;
    Halves high;
  };
  template <bool kMinimum>
  struct Codes<true, kMinimum> {
    Halves low;
  };

  static TROUPE_INLINE void split_halves(const std::byte* from, I* low, I* high) {
    const __m256i mask = _mm256_set1_epi8(15);
    const I word = load_int(from);
    *low = and_int(word, both(mask));
    *high = and_int({_mm256_srli_epi16(word.a, 4), _mm256_srli_epi16(word.b, 4)}, both(mask));
  }
  template <bool kMinimum>
  static TROUPE_INLINE void unpack(const std::byte* from, Codes<true, kMinimum>& codes) {
    TROUPE_UNROLL
    for (int v = 0; v < 4; ++v)
      split_halves(from + v * 64, &codes.low.v[2 * v], &codes.low.v[2 * v + 1]);
  }
  template <bool kMinimum>
  static TROUPE_INLINE void unpack(const std::byte* from, Codes<false, kMinimum>& codes) {
    TROUPE_UNROLL
    for (int unit = 0; unit < 8; ++unit)
      split_halves(from + unit * 64, &codes.low.v[unit], &codes.high.v[unit]);
  }

  template <int kFirst, int kLast>
  static TROUPE_INLINE I dot_halves(const Halves& codes, const std::byte* activations) {
    I sum = zero_int();
    TROUPE_UNROLL
    for (int unit = kFirst; unit < kLast; ++unit) {
      const __m256i four = broadcast_int(activations + unit * 4).a;
      sum.a = _mm256_add_epi16(sum.a, _mm256_maddubs_epi16(codes.v[unit].a, four));
      sum.b = _mm256_add_epi16(sum.b, _mm256_maddubs_epi16(codes.v[unit].b, four));
    }
    const __m256i ones = _mm256_set1_epi16(1);
    return {_mm256_madd_epi16(sum.a, ones), _mm256_madd_epi16(sum.b, ones)};
  }
  template <int kFirst, int kLast, bool kFourBits, bool kMinimum>
  static TROUPE_INLINE I dot_row(const Codes<kFourBits, kMinimum>& codes,
                                 const std::byte* activations) {
    const I low = dot_halves<kFirst, kLast>(codes.low, activations);
    if constexpr (kFourBits)
      return low;
    else
      return add_int(low, shift_left<4>(dot_halves<kFirst, kLast>(codes.high, activations)));
  }
  template <int kCount, int kFirst, int kLast, class Codes>
  static TROUPE_INLINE void dot(const Codes& codes, const std::byte* activations, int stride,
                                I (&sums)[kCount]) {
    TROUPE_UNROLL
    for (int n = 0; n < kCount; ++n)
      sums[n] = add_int(sums[n], dot_row<kFirst, kLast>(codes, activations + n * stride));
  }
  template <int kFirst, int kLast, class Codes>
  static TROUPE_INLINE I total(const Codes& codes) {
    std::byte ones[kGroup];
    std::memset(ones, 1, sizeof ones);
    return dot_row<kFirst, kLast>(codes, ones);
  }
};

}  // namespace
}  // namespace troupe::kernels
