#include "draw.h"

#include "fixed_math.h"
#include "selection.h"
#include "troupe/core/philox.h"

#include <algorithm>
#include <array>
#include <limits>

namespace troupe::gumbel {
namespace {

constexpr std::size_t kCounters = kGroup / 4;

/// The best score so far and its token.
struct Lead {
  double score = -std::numeric_limits<double>::infinity();
  TokenId token = std::numeric_limits<TokenId>::max();

  void offer(double scaled_logit, TokenId id, std::uint32_t bits) {
    const double offered = scaled_logit + gumbel_noise(bits);
    if (offered > score || (offered == score && id < token)) {
      score = offered;
      token = id;
    }
  }
};

/// token_bits of kGroup tokens from `first` on, a multiple of kGroup: the same numbers, with the
/// counters side by side for vectors.
std::array<std::uint32_t, kGroup> group_bits(DrawKey key, TokenId first) {
  using Lanes = std::array<std::uint32_t, kCounters>;
  Lanes c0, c1, c2, c3;
  for (std::size_t i = 0; i < kCounters; ++i) {
    c0[i] = static_cast<std::uint32_t>(first) / 4 + static_cast<std::uint32_t>(i);
    c1[i] = static_cast<std::uint32_t>(key.position);
    c2[i] = static_cast<std::uint32_t>(RandomUse::token);
    c3[i] = 0;
  }
  auto key0 = static_cast<std::uint32_t>(key.seed);
  auto key1 = static_cast<std::uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < kCounters; ++i) {
      const std::uint64_t product0 = std::uint64_t{0xD2511F53} * c0[i];
      const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c2[i];
      c0[i] = static_cast<std::uint32_t>(product1 >> 32) ^ c1[i] ^ key0;
      c1[i] = static_cast<std::uint32_t>(product1);
      c2[i] = static_cast<std::uint32_t>(product0 >> 32) ^ c3[i] ^ key1;
      c3[i] = static_cast<std::uint32_t>(product0);
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  std::array<std::uint32_t, kGroup> bits;
  for (std::size_t i = 0; i < kCounters; ++i) {
    bits[4 * i] = c0[i];
    bits[4 * i + 1] = c1[i];
    bits[4 * i + 2] = c2[i];
    bits[4 * i + 3] = c3[i];
  }
  return bits;
}

/// A token at distance `gap` below the lead wins only if -log u < e^-gap. As -log u >= 1 - u, its
/// bits must then be above this.
std::uint32_t bits_needed(double gap) {
  if (gap <= 0) return 0;
  const double chance = static_cast<double>(fixed_exp(static_cast<float>(-gap))) * 1.00001;
  const double needed = 4294967295.0 * (1.0 - chance) - 2.0;
  return needed > 0 ? static_cast<std::uint32_t>(needed) : 0;
}

}  // namespace

TokenId draw(std::span<const Candidate> candidates, float max, float temperature, DrawKey key) {
  Lead lead;
  for (const auto& candidate : candidates)
    lead.offer(static_cast<double>(scaled(candidate.logit, max, temperature)), candidate.token,
               token_bits(key.seed, key.position, candidate.token));
  return lead.token;
}

TokenId draw_from_row(std::span<const float> logits, Candidate best, float temperature, float limit,
                      DrawKey key) {
  Lead lead;
  lead.offer(0.0, best.token, token_bits(key.seed, key.position, best.token));
  for (std::size_t begin = 0; begin < logits.size(); begin += kGroup) {
    const auto group = logits.subspan(begin, std::min(kGroup, logits.size() - begin));
    const float nearest = scaled(group_max(group), best.logit, temperature);
    const double gap = lead.score - static_cast<double>(nearest);
    if (nearest < limit || gap > kMaxNoise) continue;
    const auto bits = group_bits(key, static_cast<TokenId>(begin));
    const std::uint32_t needed = bits_needed(gap);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (bits[i] < needed) continue;
      const float y = scaled(group[i], best.logit, temperature);
      if (!(y >= limit)) continue;
      lead.offer(static_cast<double>(y), static_cast<TokenId>(begin + i), bits[i]);
    }
  }
  return lead.token;
}

}  // namespace troupe::gumbel
