#include "noise.h"

#include "troupe/core/philox.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace troupe::gumbel {
namespace {

/// Two counters side by side, each word in the low half of its lane. (GNU vectors: the compiler
/// uses what the machine has.)
using Words [[gnu::vector_size(16)]] = std::uint64_t;
constexpr std::size_t kLanes = 2;
constexpr std::size_t kPairs = 2;  // worked on together, to hide the multiplication's latency

/// Product of the low halves of the lanes.
Words multiply(Words a, Words b) {
#ifdef __SSE2__
  return reinterpret_cast<Words>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

struct Counters {
  Words c0, c1, c2, c3;
};

void round(Counters& c, std::uint32_t key0, std::uint32_t key1) {
  const Words product0 = multiply(c.c0, Words{} + 0xD2511F53u);
  const Words product1 = multiply(c.c2, Words{} + 0xCD9E8D57u);
  c.c0 = (product1 >> 32) ^ c.c1 ^ (Words{} + key0);
  c.c1 = product1;
  c.c2 = (product0 >> 32) ^ c.c3 ^ (Words{} + key1);
  c.c3 = product0;
}

}  // namespace

std::array<std::uint32_t, kGroup> group_bits(DrawKey key, TokenId first) {
  std::array<std::uint32_t, kGroup> bits;
  const auto counter = static_cast<std::uint64_t>(first) / 4;
  for (std::size_t begin = 0; begin < kGroup / 4; begin += kPairs * kLanes) {
    Counters pairs[kPairs];
    for (std::size_t i = 0; i < kPairs; ++i) {
      const std::uint64_t at = counter + begin + i * kLanes;
      pairs[i] = {Words{at, at + 1}, Words{} + static_cast<std::uint32_t>(key.position),
                  Words{} + static_cast<std::uint32_t>(RandomUse::token), Words{}};
    }
    auto key0 = static_cast<std::uint32_t>(key.seed);
    auto key1 = static_cast<std::uint32_t>(key.seed >> 32);
    for (int n = 0; n < 10; ++n) {
      for (auto& pair : pairs)
        round(pair, key0, key1);
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    for (std::size_t i = 0; i < kPairs; ++i)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        std::uint32_t* out = &bits[4 * (begin + i * kLanes + lane)];
        out[0] = static_cast<std::uint32_t>(pairs[i].c0[lane]);
        out[1] = static_cast<std::uint32_t>(pairs[i].c1[lane]);
        out[2] = static_cast<std::uint32_t>(pairs[i].c2[lane]);
        out[3] = static_cast<std::uint32_t>(pairs[i].c3[lane]);
      }
  }
  return bits;
}

}  // namespace troupe::gumbel
