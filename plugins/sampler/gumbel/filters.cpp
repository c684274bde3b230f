#include "filters.h"

#include "fixed_math.h"
#include "troupe/core/philox.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe::gumbel {
namespace {

constexpr double kLn2 = 0.6931471805599453;

/// Leaves the tokens up to `last` in the order of the keys.
template <class Key>
void keep_up_to(Pool& pool, const Ranked& last, Key key) {
  pool.keep_if([&](std::size_t i) { return !(last < Ranked{key(i), pool.ids()[i], 0}); });
}

constexpr std::size_t kBuckets = 4096;
constexpr float kBucketsPerUnit = 47.0f;  // of y: what is farther than e^-87 weighs nothing

std::size_t bucket_of(float distance) {
  const float place = distance * kBucketsPerUnit;
  return place < static_cast<float>(kBuckets - 1) ? static_cast<std::size_t>(place) : kBuckets - 1;
}

/// The last of the smallest set of tokens of smallest key that has the probability `p`. Only the
/// tokens near it are looked at one by one: those whose `distance`, which is >= 0 and never falls
/// as keys rise, is near its own. Pre: the pool is weighed.
template <class Key, class Distance>
Ranked last_with(const Pool& pool, float p, Key key, Distance distance, RankedRoom& room) {
  auto& buckets = room.buckets;
  buckets.assign(kBuckets, 0);
  for (std::size_t i = 0; i < pool.size(); ++i)
    buckets[bucket_of(distance(i))] += static_cast<double>(pool.weight(i));
  double total = 0;
  for (const double bucket : buckets)
    total += bucket;
  // Added up in the same order as the total, so the goal is reached for certain.
  const double goal = static_cast<double>(p) * total;
  std::size_t edge = 0;
  double mass = 0;
  const auto misses = [&] { return mass + buckets[edge] < goal || buckets[edge] == 0; };
  while (misses() && edge + 1 < kBuckets)
    mass += buckets[edge++];
  room.items.clear();
  for (std::size_t i = 0; i < pool.size(); ++i)
    if (bucket_of(distance(i)) == edge)
      room.items.push_back({key(i), pool.ids()[i], pool.weight(i)});
  return last_reaching(room, goal - mass);
}

}  // namespace

void keep_top_k(Pool& pool, std::size_t count, RankedRoom& room) {
  if (count >= pool.size()) return;
  const auto key = [&](std::size_t i) { return -pool.logits()[i]; };
  room.items.resize(pool.size());
  for (std::size_t i = 0; i < pool.size(); ++i)
    room.items[i] = {key(i), pool.ids()[i], 0};
  const auto last = room.items.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(room.items.begin(), last, room.items.end());
  keep_up_to(pool, *last, key);
}

void keep_top_p(Pool& pool, float p, RankedRoom& room) {
  pool.weigh();
  const auto key = [&](std::size_t i) { return -pool.logits()[i]; };
  const auto distance = [&](std::size_t i) { return -pool.y(i); };
  keep_up_to(pool, last_with(pool, p, key, distance, room), key);
}

void keep_min_p(Pool& pool, float share) {
  const auto limit = static_cast<float>(fixed_log(static_cast<double>(share)));
  pool.keep_if([&](std::size_t i) { return pool.y(i) >= limit; });
}

void keep_typical(Pool& pool, float p, RankedRoom& room) {
  const double total = pool.weigh();
  // Information minus entropy is log total - y - (log total - mean y).
  const auto mean = static_cast<float>(pool.mean_y(total));
  const auto key = [&](std::size_t i) { return std::abs(pool.y(i) - mean); };
  keep_up_to(pool, last_with(pool, p, key, key, room), key);
}

void keep_top_n_sigma(Pool& pool, float n) {
  const auto size = static_cast<double>(pool.size());
  double sum = 0;  // of distances from the largest: they are small numbers
  for (const float logit : pool.logits())
    sum += static_cast<double>(logit) - static_cast<double>(pool.max());
  const double mean = sum / size;
  double squares = 0;
  for (const float logit : pool.logits()) {
    const double d = static_cast<double>(logit) - static_cast<double>(pool.max()) - mean;
    squares += d * d;
  }
  const double limit = -static_cast<double>(n) * std::sqrt(squares / size);
  pool.keep_if([&](std::size_t i) {
    return static_cast<double>(pool.logits()[i]) - static_cast<double>(pool.max()) >= limit;
  });
}

void exclude_top_choices(Pool& pool, float probability, float threshold, DrawKey key) {
  const double chance =
      (static_cast<double>(position_bits(key.seed, key.position, RandomUse::xtc)) + 0.5) * 0x1p-32;
  if (chance >= static_cast<double>(probability)) return;
  const double least = static_cast<double>(threshold) * pool.weigh();
  const auto is_top = [&](std::size_t i) { return static_cast<double>(pool.weight(i)) >= least; };
  std::size_t count = 0;
  Candidate last{std::numeric_limits<float>::infinity(), 0};
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (!is_top(i)) continue;
    ++count;
    const Candidate top{pool.logits()[i], pool.ids()[i]};
    if (before(last, top)) last = top;
  }
  if (count < 2) return;
  pool.keep_if([&](std::size_t i) { return !is_top(i) || pool.ids()[i] == last.token; });
}

float temperature_for(Pool& pool, const SamplingParams& params) {
  // Below the smallest normal number every other token is out of reach all the same, and a thread
  // that treats subnormal numbers as zero would divide by it.
  const auto bounded = [](float t) { return std::max(t, std::numeric_limits<float>::min()); };
  if (params.dynatemp_range == 0 || pool.size() == 1) return bounded(params.temperature);
  const double low =
      static_cast<double>(std::max(0.0f, params.temperature - params.dynatemp_range));
  const double high =
      static_cast<double>(params.temperature) + static_cast<double>(params.dynatemp_range);
  const double total = pool.weigh();
  const double entropy = fixed_log(total) - pool.mean_y(total);
  const double share = entropy / fixed_log(static_cast<double>(pool.size()));
  if (share <= 0) return bounded(static_cast<float>(low));
  const double power =
      static_cast<double>(params.dynatemp_exponent) * std::min(0.0, fixed_log(share));
  const double raised = static_cast<double>(fixed_exp(static_cast<float>(power)));
  return bounded(static_cast<float>(low + (high - low) * raised));
}

double mirostat_bound(const SamplingParams& params, std::span<const float> surprises) {
  const auto tau = static_cast<double>(params.mirostat_tau);
  const auto eta = static_cast<double>(params.mirostat_eta);
  double bound = 2 * tau;
  for (const float surprise : surprises)
    bound -= eta * (static_cast<double>(surprise) - tau);
  return bound;
}

void keep_unsurprising(Pool& pool, double bound) {
  // -log2(w / total) <= bound, as a limit of y; the most probable token has y = 0.
  const double limit = std::min(0.0, fixed_log(pool.weigh()) - bound * kLn2);
  pool.keep_if([&](std::size_t i) { return static_cast<double>(pool.y(i)) >= limit; });
}

float surprise_of(Pool& pool, TokenId token) {
  const double log_total = fixed_log(pool.weigh());
  const auto at = std::lower_bound(pool.ids().begin(), pool.ids().end(), token);
  const auto i = static_cast<std::size_t>(at - pool.ids().begin());
  return static_cast<float>((log_total - static_cast<double>(pool.y(i))) / kLn2);
}

}  // namespace troupe::gumbel
