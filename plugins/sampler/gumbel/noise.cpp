#include "noise.h"

#include "troupe/core/philox.h"

#include <cstddef>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace troupe::gumbel {
namespace {

static_assert(kGroup == 64, "a bit of the mask for each token");

std::uint64_t plain(DrawKey key, TokenId first, std::uint32_t needed, GroupBits& out) {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < kGroup; i += 4) {
    const auto words = philox4x32(
        {(static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i)) / 4,
         static_cast<std::uint32_t>(key.position), static_cast<std::uint32_t>(RandomUse::token), 0},
        {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)});
    for (std::size_t word = 0; word < 4; ++word) {
      out.bits[i + word] = words[word];
      mask |= std::uint64_t{words[word] >= needed} << (i + word);
    }
  }
  return mask;
}

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;

#ifdef __x86_64__
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes the deliberately undefined vectors of its own AVX-512 header for a fault.
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

// Each lane of 64 bits is a counter of its own and holds one word of it in its low half, as the
// multiplication wants it; two vectors are worked on together, to hide its latency.

[[gnu::target("avx2")]] std::uint64_t with_avx2(DrawKey key, TokenId first, std::uint32_t needed,
                                                GroupBits& out) {
  const __m256i low = _mm256_set1_epi64x(0xffffffff);
  const __m256i m0 = _mm256_set1_epi64x(kMultiplier0);
  const __m256i m1 = _mm256_set1_epi64x(kMultiplier1);
  // Compared with the sign bit turned over: AVX2 compares signed numbers only.
  const __m256i flip = _mm256_set1_epi32(INT32_MIN);
  const __m256i least = _mm256_xor_si256(_mm256_set1_epi32(static_cast<int>(needed)), flip);
  std::uint64_t mask = 0;
  for (int begin = 0; begin < 16; begin += 8) {
    __m256i c[2][4];
    for (int i = 0; i < 2; ++i) {
      const long long at = first / 4 + begin + 4 * i;
      c[i][0] = _mm256_setr_epi64x(at, at + 1, at + 2, at + 3);
      c[i][1] = _mm256_set1_epi64x(static_cast<std::uint32_t>(key.position));
      c[i][2] = _mm256_set1_epi64x(static_cast<std::uint32_t>(RandomUse::token));
      c[i][3] = _mm256_setzero_si256();
    }
    auto key0 = static_cast<std::uint32_t>(key.seed);
    auto key1 = static_cast<std::uint32_t>(key.seed >> 32);
    for (int round = 0; round < 10; ++round, key0 += kWeyl0, key1 += kWeyl1)
      for (auto& [c0, c1, c2, c3] : c) {
        const __m256i p0 = _mm256_mul_epu32(c0, m0);
        const __m256i p1 = _mm256_mul_epu32(c2, m1);
        c0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c1),
                              _mm256_set1_epi64x(key0));
        c1 = p1;
        c2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c3),
                              _mm256_set1_epi64x(key1));
        c3 = p0;
        // The upper halves of c1 and c3 meet only what is shifted or multiplied away.
        c1 = _mm256_and_si256(c1, low);
        c3 = _mm256_and_si256(c3, low);
      }
    for (int i = 0; i < 2; ++i) {
      const auto& [c0, c1, c2, c3] = c[i];
      const __m256i w01 = _mm256_or_si256(c0, _mm256_slli_epi64(c1, 32));
      const __m256i w23 = _mm256_or_si256(c2, _mm256_slli_epi64(c3, 32));
      const __m256i even = _mm256_unpacklo_epi64(w01, w23);  // counters 0 and 2
      const __m256i odd = _mm256_unpackhi_epi64(w01, w23);   // counters 1 and 3
      const __m256i halves[2] = {_mm256_permute2x128_si256(even, odd, 0x20),
                                 _mm256_permute2x128_si256(even, odd, 0x31)};
      for (int half = 0; half < 2; ++half) {
        const int at = 4 * (begin + 4 * i) + 8 * half;
        _mm256_store_si256(reinterpret_cast<__m256i*>(&out.bits[static_cast<std::size_t>(at)]),
                           halves[half]);
        const __m256i below = _mm256_cmpgt_epi32(least, _mm256_xor_si256(halves[half], flip));
        const auto lanes =
            static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(below)));
        mask |= std::uint64_t{~lanes & 0xffu} << at;
      }
    }
  }
  return mask;
}

[[gnu::target("avx512f")]] std::uint64_t with_avx512(DrawKey key, TokenId first,
                                                     std::uint32_t needed, GroupBits& out) {
  const __m512i m0 = _mm512_set1_epi64(kMultiplier0);
  const __m512i m1 = _mm512_set1_epi64(kMultiplier1);
  const __m512i low = _mm512_set1_epi64(0xffffffff);
  const __m512i least = _mm512_set1_epi32(static_cast<int>(needed));
  __m512i c[2][4];
  for (int i = 0; i < 2; ++i) {
    c[i][0] = _mm512_add_epi64(_mm512_set1_epi64(first / 4 + 8 * i),
                               _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    c[i][1] = _mm512_set1_epi64(static_cast<std::uint32_t>(key.position));
    c[i][2] = _mm512_set1_epi64(static_cast<std::uint32_t>(RandomUse::token));
    c[i][3] = _mm512_setzero_si512();
  }
  auto key0 = static_cast<std::uint32_t>(key.seed);
  auto key1 = static_cast<std::uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round, key0 += kWeyl0, key1 += kWeyl1)
    for (auto& [c0, c1, c2, c3] : c) {
      const __m512i p0 = _mm512_mul_epu32(c0, m0);
      const __m512i p1 = _mm512_mul_epu32(c2, m1);
      c0 = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p1, 32), c1),
                            _mm512_set1_epi64(key0));
      c1 = _mm512_and_si512(p1, low);
      c2 = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p0, 32), c3),
                            _mm512_set1_epi64(key1));
      c3 = _mm512_and_si512(p0, low);
    }
  const __m512i first_half = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const __m512i second_half = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  std::uint64_t mask = 0;
  for (int i = 0; i < 2; ++i) {
    const auto& [c0, c1, c2, c3] = c[i];
    const __m512i w01 = _mm512_or_si512(c0, _mm512_slli_epi64(c1, 32));
    const __m512i w23 = _mm512_or_si512(c2, _mm512_slli_epi64(c3, 32));
    const __m512i halves[2] = {_mm512_permutex2var_epi64(w01, first_half, w23),
                               _mm512_permutex2var_epi64(w01, second_half, w23)};
    for (int half = 0; half < 2; ++half) {
      const int at = 32 * i + 16 * half;
      _mm512_store_si512(&out.bits[static_cast<std::size_t>(at)], halves[half]);
      mask |= std::uint64_t{_mm512_cmpge_epu32_mask(halves[half], least)} << at;
    }
  }
  return mask;
}

#endif

std::vector<MakeGroupBits> find_ways() {
  std::vector<MakeGroupBits> ways{plain};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) ways.push_back(with_avx2);
  if (__builtin_cpu_supports("avx512f")) ways.push_back(with_avx512);
#endif
  return ways;
}

}  // namespace

std::span<const MakeGroupBits> ways_to_make_group_bits() {
  static const std::vector<MakeGroupBits> ways = find_ways();
  return ways;
}

std::uint64_t make_group_bits(DrawKey key, TokenId first, std::uint32_t needed, GroupBits& out) {
  static const MakeGroupBits best = ways_to_make_group_bits().back();
  return best(key, first, needed, out);
}

}  // namespace troupe::gumbel
