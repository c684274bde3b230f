#include "draw.h"

#include "fixed_math.h"
#include "selection.h"
#include "troupe/core/philox.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace troupe::gumbel {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

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

/// A token at distance `gap` below the lead wins only if -log u < e^-gap. As -log u >= 1 - u, its
/// bits must then be at least this.
std::uint32_t bits_needed(double gap) {
  if (gap <= 0) return 0;
  const double chance = static_cast<double>(fixed_exp(static_cast<float>(-gap))) * 1.00001;
  const double needed = 4294967295.0 * (1.0 - chance) - 2.0;
  return needed > 0 ? static_cast<std::uint32_t>(needed) : 0;
}

}  // namespace

TokenId draw(std::span<const float> logits, Candidate best, float temperature, const Kept& kept,
             DrawKey key) {
  Lead lead;
  GroupBits group_bits;
  lead.offer(0.0, best.token, token_bits(key.seed, key.position, best.token));
  for (std::size_t begin = 0; begin < logits.size(); begin += kGroup) {
    const auto group = logits.subspan(begin, std::min(kGroup, logits.size() - begin));
    const float largest = group_max(group);
    const float nearest = scaled(largest, best.logit, temperature);
    const double gap = lead.score - static_cast<double>(nearest);
    if (largest == -kInfinity || largest < kept.edge.logit) continue;
    if (nearest < kept.limit || gap > kMaxNoise) continue;
    auto able = make_group_bits(key, static_cast<TokenId>(begin), bits_needed(gap), group_bits);
    for (; able != 0; able &= able - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(able));
      if (i >= group.size()) break;
      const Candidate candidate{group[i], static_cast<TokenId>(begin + i)};
      if (before(kept.edge, candidate)) continue;
      const float y = scaled(candidate.logit, best.logit, temperature);
      if (y >= kept.limit) lead.offer(static_cast<double>(y), candidate.token, group_bits.bits[i]);
    }
  }
  return lead.token;
}

TokenId draw(const Pool& pool, std::size_t vocab_size, std::vector<float>& room, DrawKey key) {
  constexpr std::size_t kFew = 512;  // beyond, looking at groups is cheaper
  if (pool.size() > kFew) {
    room.assign(vocab_size, -kInfinity);
    for (std::size_t i = 0; i < pool.size(); ++i)
      room[static_cast<std::size_t>(pool.ids()[i])] = pool.logits()[i];
    const auto best = std::max_element(room.begin(), room.end());
    return draw(room, {*best, static_cast<TokenId>(best - room.begin())}, pool.temperature(), {},
                key);
  }
  Lead lead;
  for (std::size_t i = 0; i < pool.size(); ++i)
    lead.offer(static_cast<double>(pool.y(i)), pool.ids()[i],
               token_bits(key.seed, key.position, pool.ids()[i]));
  return lead.token;
}

}  // namespace troupe::gumbel
