#include "selection.h"

#include "fixed_math.h"

#include <algorithm>
#include <limits>

namespace troupe::gumbel {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kBuckets = 1024;
constexpr float kBucketsPerUnit = 12.0f;  // the last bucket takes all beyond e^-85

std::size_t bucket_of(float y) {
  const float place = -y * kBucketsPerUnit;
  return place < static_cast<float>(kBuckets - 1) ? static_cast<std::size_t>(place) : kBuckets - 1;
}

void cut_to_largest(std::vector<Candidate>& candidates, std::size_t count) {
  if (candidates.size() <= count) return;
  const auto edge = candidates.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(candidates.begin(), edge - 1, candidates.end(), before);
  candidates.erase(edge, candidates.end());
}

/// Length of the shortest head of sorted candidates whose weights, added to `mass`, reach `goal`.
std::size_t head_reaching(std::span<const Candidate> sorted, float max, float temperature,
                          double mass, double goal) {
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    mass += static_cast<double>(fixed_exp(scaled(sorted[i].logit, max, temperature)));
    if (mass >= goal) return i + 1;
  }
  return sorted.size();
}

}  // namespace

void select_largest(std::span<const float> logits, std::size_t count, std::vector<Candidate>& out) {
  out.clear();
  if (count == 0) return;
  const std::size_t limit = std::max<std::size_t>(2 * count, 256);
  float threshold = -kInfinity;
  for (std::size_t begin = 0; begin < logits.size(); begin += kGroup) {
    const auto group = logits.subspan(begin, std::min(kGroup, logits.size() - begin));
    if (!(group_max(group) > threshold)) continue;
    for (std::size_t i = 0; i < group.size(); ++i)
      if (group[i] > threshold) out.push_back({group[i], static_cast<TokenId>(begin + i)});
    if (out.size() < limit) continue;
    // Later tokens have larger ids: of equal logits they would lose, so only larger ones matter.
    cut_to_largest(out, count);
    threshold = std::max_element(out.begin(), out.end(), before)->logit;
  }
  cut_to_largest(out, count);
  std::sort(out.begin(), out.end(), before);
}

void keep_nucleus(std::vector<Candidate>& candidates, float temperature, float top_p) {
  if (candidates.empty() || top_p >= 1) return;
  const float max = candidates.front().logit;
  double total = 0;
  for (const auto& candidate : candidates)
    total += static_cast<double>(fixed_exp(scaled(candidate.logit, max, temperature)));
  const double goal = static_cast<double>(top_p) * total;
  candidates.resize(head_reaching(candidates, max, temperature, 0, goal));
}

void select_nucleus(std::span<const float> logits, Candidate best, float temperature, float top_p,
                    NucleusRoom& room, std::vector<Candidate>& out) {
  const float max = best.logit;
  room.weights.resize(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i)
    room.weights[i] = fixed_exp(scaled(logits[i], max, temperature));
  room.buckets.assign(kBuckets, 0);
  for (std::size_t i = 0; i < logits.size(); ++i)
    room.buckets[bucket_of(scaled(logits[i], max, temperature))] +=
        static_cast<double>(room.weights[i]);
  double total = 0;
  for (const double mass : room.buckets)
    total += mass;
  const double goal = static_cast<double>(top_p) * total;
  std::size_t edge = 0;  // the bucket in which the goal is reached
  double mass = 0;
  while (edge + 1 < kBuckets && mass + room.buckets[edge] < goal)
    mass += room.buckets[edge++];
  out.clear();
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (room.weights[i] > 0 && bucket_of(scaled(logits[i], max, temperature)) <= edge)
      out.push_back({logits[i], static_cast<TokenId>(i)});
  const auto near_edge = std::partition(out.begin(), out.end(), [&](const Candidate& candidate) {
    return bucket_of(scaled(candidate.logit, max, temperature)) < edge;
  });
  std::sort(near_edge, out.end(), before);
  const std::span<const Candidate> sorted(near_edge, out.end());
  const auto kept = head_reaching(sorted, max, temperature, mass, goal);
  out.erase(near_edge + static_cast<std::ptrdiff_t>(kept), out.end());
}

float min_p_limit(float min_p) {
  if (min_p <= 0) return -kInfinity;
  return static_cast<float>(fixed_log(static_cast<double>(min_p)));
}

void keep_min_p(std::vector<Candidate>& candidates, Candidate best, float temperature,
                float min_p) {
  const float limit = min_p_limit(min_p);
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return scaled(candidate.logit, best.logit, temperature) < limit;
  });
}

}  // namespace troupe::gumbel
