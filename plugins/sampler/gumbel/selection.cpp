#include "selection.h"

#include "fixed_math.h"

#include <algorithm>
#include <limits>

namespace troupe::gumbel {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kFirstTry = 256;    // most nuclei are smaller
constexpr std::size_t kBuckets = 4096;    // of distance from the best token
constexpr float kBucketsPerUnit = 47.0f;  // the last one takes all beyond e^-87, which is 0

std::size_t bucket_of(float y) {
  const float place = -y * kBucketsPerUnit;
  return place < static_cast<float>(kBuckets - 1) ? static_cast<std::size_t>(place) : kBuckets - 1;
}

/// How the tokens of a row weigh.
struct Scale {
  float max = 0;
  float temperature = 1;

  float y(float logit) const { return scaled(logit, max, temperature); }
  double weight(float logit) const { return static_cast<double>(fixed_exp(y(logit))); }
};

struct Head {
  std::size_t size = 0;
  bool reached = false;
};

/// The shortest head of sorted candidates whose weights, added to `mass`, reach `goal`; else all.
Head head_reaching(std::span<const Candidate> sorted, Scale scale, double mass, double goal) {
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    mass += scale.weight(sorted[i].logit);
    if (mass >= goal) return {i + 1, true};
  }
  return {sorted.size(), false};
}

void cut_to_largest(std::vector<Candidate>& candidates, std::size_t count) {
  if (candidates.size() <= count) return;
  const auto edge = candidates.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(candidates.begin(), edge - 1, candidates.end(), before);
  candidates.erase(edge, candidates.end());
}

/// For flat rows: finds the bucket in which the goal is reached and sorts only its tokens.
Candidate edge_by_buckets(std::span<const float> logits, Scale scale, float top_p,
                          NucleusRoom& room) {
  auto& buckets = room.buckets;
  buckets.assign(kBuckets, 0);
  for (const float logit : logits)
    buckets[bucket_of(scale.y(logit))] += scale.weight(logit);
  double total = 0;
  for (const double bucket : buckets)
    total += bucket;
  // Added up in the same order as the total, so the goal is reached for certain.
  const double goal = static_cast<double>(top_p) * total;
  std::size_t edge = 0;
  double mass = 0;
  while (mass + buckets[edge] < goal)
    mass += buckets[edge++];
  auto& tokens = room.candidates;
  tokens.clear();
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (bucket_of(scale.y(logits[i])) == edge)
      tokens.push_back({logits[i], static_cast<TokenId>(i)});
  std::sort(tokens.begin(), tokens.end(), before);
  return tokens[head_reaching(tokens, scale, mass, goal).size - 1];
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

std::size_t nucleus_size(std::span<const Candidate> candidates, float temperature, float top_p) {
  if (top_p >= 1) return candidates.size();
  const Scale scale{candidates.front().logit, temperature};
  double total = 0;
  for (const auto& candidate : candidates)
    total += scale.weight(candidate.logit);
  return head_reaching(candidates, scale, 0, static_cast<double>(top_p) * total).size;
}

Candidate nucleus_edge(std::span<const float> logits, Candidate best, float temperature,
                       float top_p, NucleusRoom& room) {
  const Scale scale{best.logit, temperature};
  const double goal = static_cast<double>(top_p) * sum_exp(logits, best.logit, temperature);
  select_largest(logits, kFirstTry, room.candidates);
  const auto head = head_reaching(room.candidates, scale, 0, goal);
  if (head.reached) return room.candidates[head.size - 1];
  return edge_by_buckets(logits, scale, top_p, room);
}

float min_p_limit(float min_p) {
  if (min_p <= 0) return -kInfinity;
  return static_cast<float>(fixed_log(static_cast<double>(min_p)));
}

}  // namespace troupe::gumbel
