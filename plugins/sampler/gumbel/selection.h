#pragma once
#include "row_scan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace troupe::gumbel {

/// A logit after temperature, below the best: (logit - max) / temperature, which is 0 for the best
/// token and never NaN, however small the temperature is. Pre: logit <= max, temperature > 0.
inline float scaled(float logit, float max, float temperature) {
  return (logit - max) / temperature;
}

/// Puts the `count` largest logits of a row [vocab_size] into `out`, the largest first, the smaller
/// id first on a tie. Tokens at -infinity are left out. The row is not sorted: cost O(vocab_size).
void select_largest(std::span<const float> logits, std::size_t count, std::vector<Candidate>& out);

/// How many of the candidates, sorted, are the smallest head whose probability under `temperature`
/// reaches `top_p` of them all; at least one. Pre: there are candidates.
std::size_t nucleus_size(std::span<const Candidate> candidates, float temperature, float top_p);

/// Room that nucleus_edge works in; kept from call to call.
struct NucleusRoom {
  std::vector<Candidate> candidates;
  std::vector<double> buckets;  // probability by distance from the best token
};

/// The last token of the smallest set of most probable tokens of a row [vocab_size] whose
/// probability under `temperature` reaches `top_p`; at least the best is in. No more is sorted than
/// a few tokens, or those near the edge. `best` is the row's largest.
Candidate nucleus_edge(std::span<const float> logits, Candidate best, float temperature,
                       float top_p, NucleusRoom& room);

/// The smallest scaled logit that passes min_p: log(min_p); -infinity for min_p == 0.
float min_p_limit(float min_p);

}  // namespace troupe::gumbel
