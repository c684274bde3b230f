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

/// Cuts `candidates`, sorted, to the smallest head whose probability reaches `top_p` of them all;
/// one always stays.
void keep_nucleus(std::vector<Candidate>& candidates, float temperature, float top_p);

/// Room that select_nucleus works in; kept from call to call.
struct NucleusRoom {
  std::vector<float> weights;   // [vocab_size]
  std::vector<double> buckets;  // probability by distance from the best token
};

/// As select_largest of all tokens and keep_nucleus, but without sorting more than the tokens near
/// the edge of the kept set; `out` is in no particular order. `best` is the row's largest.
void select_nucleus(std::span<const float> logits, Candidate best, float temperature, float top_p,
                    NucleusRoom& room, std::vector<Candidate>& out);

/// Drops candidates whose probability is below `min_p` times that of `best`.
void keep_min_p(std::vector<Candidate>& candidates, Candidate best, float temperature, float min_p);

/// The smallest scaled logit that passes min_p: log(min_p); -infinity for min_p == 0.
float min_p_limit(float min_p);

}  // namespace troupe::gumbel
