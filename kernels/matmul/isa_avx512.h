#pragma once
// 16 lanes in one AVX-512 register, with or without VNNI as the file that includes this is
// compiled.
#include "kernels/matmul/pack_kernels.h"
#include "kernels/matmul/tile_vector.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

namespace troupe::kernels {
namespace {

/// The loops of PlainLoops, a group being two registers.
struct Avx512PackLoops {
  static __m512i bits_of(const float* x) { return _mm512_loadu_si512(x); }

  static std::int32_t largest_magnitude_bits(const float* x) {
    const __m512i unsign = _mm512_set1_epi32(0x7fffffff);
    return _mm512_reduce_max_epi32(_mm512_max_epi32(_mm512_and_si512(bits_of(x), unsign),
                                                    _mm512_and_si512(bits_of(x + 16), unsign)));
  }

  static __m512i ordered(const float* x) {
    const __m512i flip =
        _mm512_and_si512(_mm512_srai_epi32(bits_of(x), 31), _mm512_set1_epi32(0x7fffffff));
    return _mm512_xor_si512(bits_of(x), flip);
  }
  static void range(const float* x, std::int32_t& smallest, std::int32_t& largest) {
    const __m512i a = ordered(x), b = ordered(x + 16);
    smallest = _mm512_reduce_min_epi32(_mm512_min_epi32(a, b));
    largest = _mm512_reduce_max_epi32(_mm512_max_epi32(a, b));
  }

  static void store_codes(__m512i codes, std::int8_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(codes));
  }
  template <int kTerms>
  static void round(const float* x, float offset, float inverse, std::int8_t* codes,
                    std::int32_t* sums) {
    for (int half = 0; half < 2; ++half) {
      const __m512 from_offset =
          _mm512_sub_ps(_mm512_loadu_ps(x + half * 16), _mm512_set1_ps(offset));
      const __m512i wide =
          _mm512_cvt_roundps_epi32(_mm512_mul_ps(from_offset, _mm512_set1_ps(inverse)),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
      sums[half] = _mm512_reduce_add_epi32(wide);
      __m512i first = wide;
      if constexpr (kTerms == 2) {
        first = _mm512_srai_epi32(_mm512_add_epi32(wide, _mm512_set1_epi32(128)), 8);
        store_codes(_mm512_sub_epi32(wide, _mm512_slli_epi32(first, 8)),
                    codes + kGroup + half * 16);
      }
      store_codes(first, codes + half * 16);
    }
  }
};

struct Avx512 {
  using PackLoops = Avx512PackLoops;
  using F = __m512;
  using I = __m512i;
  static constexpr int kInterleave = 4;
  static constexpr int kStreams = 2;
  static constexpr int kLargestFloat = 3;

  static F zero() { return _mm512_setzero_ps(); }
  static F load(const void* at) { return _mm512_loadu_ps(at); }
  static F load_half(const void* at) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(at)));
  }
  static F broadcast(const void* at) {
    float value;
    std::memcpy(&value, at, 4);
    return _mm512_set1_ps(value);
  }
  static F add(F a, F b) { return _mm512_add_ps(a, b); }
  static F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  static F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static void store(F f, float* to) { _mm512_storeu_ps(to, f); }
  static void store_some(F f, float* to, int count, bool accumulate) {
    const auto some = static_cast<__mmask16>((1u << count) - 1);
    if (accumulate) f = _mm512_add_ps(_mm512_maskz_loadu_ps(some, to), f);
    _mm512_mask_storeu_ps(to, some, f);
  }

  static I zero_int() { return _mm512_setzero_si512(); }
  static I set_int(int value) { return _mm512_set1_epi32(value); }
  static I load_int(const void* at) { return _mm512_loadu_si512(at); }
  static I broadcast_int(const void* at) {
    int value;
    std::memcpy(&value, at, 4);
    return _mm512_set1_epi32(value);
  }
  static I add_int(I a, I b) { return _mm512_add_epi32(a, b); }
  static I and_int(I a, I b) { return _mm512_and_si512(a, b); }
  template <int kBits>
  static I shift_left(I a) {
    return _mm512_slli_epi32(a, kBits);
  }
  template <int kBits>
  static I shift_right(I a) {
    return _mm512_srli_epi32(a, kBits);
  }
  template <int kBits>
  static I arithmetic_right(I a) {
    return _mm512_srai_epi32(a, kBits);
  }
  static F to_float(I a) { return _mm512_cvtepi32_ps(a); }
  static F as_float(I a) { return _mm512_castsi512_ps(a); }

  static constexpr int kBytesAhead = 512;
  static void prefetch(const std::byte* at) {
    _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T0);
  }

  static void split_halves(const std::byte* from, I* low, I* high) {
    *low = and_int(load_int(from), _mm512_set1_epi8(15));
    *high = and_int(_mm512_srli_epi16(load_int(from), 4), _mm512_set1_epi8(15));
  }

#if defined(__AVX512VNNI__)
  static constexpr int kLargestInteger = 3;
  static constexpr int kBias4 = 128;

  struct Bytes {
    I v[8];
  };
  template <bool kFourBits, bool kMinimum>
  struct Codes : Bytes {};

  template <bool kMinimum>
  static TROUPE_INLINE void unpack(const std::byte* from, Codes<true, kMinimum>& codes) {
    TROUPE_UNROLL
    for (int v = 0; v < 4; ++v)
      split_halves(from + v * 64, &codes.v[2 * v], &codes.v[2 * v + 1]);
    if constexpr (kMinimum) return;
    TROUPE_UNROLL
    for (int unit = 0; unit < 8; ++unit)
      codes.v[unit] = _mm512_add_epi8(codes.v[unit], _mm512_set1_epi8(kBias4 - 8));
  }
  template <bool kMinimum>
  static TROUPE_INLINE void unpack(const std::byte* from, Codes<false, kMinimum>& codes) {
    TROUPE_UNROLL
    for (int unit = 0; unit < 8; ++unit)
      codes.v[unit] = load_int(from + unit * 64);
  }

  template <int kCount, int kFirst, int kLast>
  static TROUPE_INLINE void dot(const Bytes& codes, const std::byte* activations, int stride,
                                I (&sums)[kCount]) {
    TROUPE_UNROLL
    for (int unit = kFirst; unit < kLast; ++unit) {
      TROUPE_UNROLL
      for (int n = 0; n < kCount; ++n)
        sums[n] = _mm512_dpbusd_epi32(sums[n], codes.v[unit],
                                      broadcast_int(activations + n * stride + unit * 4));
    }
  }
  template <int kFirst, int kLast>
  static TROUPE_INLINE I total(const Bytes& codes) {
    I sum = zero_int();
    TROUPE_UNROLL
    for (int unit = kFirst; unit < kLast; ++unit)
      sum = _mm512_dpbusd_epi32(sum, codes.v[unit], _mm512_set1_epi8(1));
    return sum;
  }
#else
  static constexpr int kLargestInteger = 2;
  static constexpr int kBias4 = 8;

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
    for (int unit = kFirst; unit < kLast; ++unit)
      sum = _mm512_add_epi16(
          sum, _mm512_maddubs_epi16(codes.v[unit], broadcast_int(activations + unit * 4)));
    return _mm512_madd_epi16(sum, _mm512_set1_epi16(1));
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
    alignas(64) std::byte ones[kGroup];
    std::memset(ones, 1, sizeof ones);
    return dot_row<kFirst, kLast>(codes, ones);
  }
#endif
};

}  // namespace
}  // namespace troupe::kernels
