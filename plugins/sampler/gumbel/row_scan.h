#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/result.h"

#include <cstddef>
#include <span>

namespace troupe::gumbel {

/// A token and its logit.
struct Candidate {
  float logit = 0;
  TokenId token = 0;
  bool operator==(const Candidate&) const = default;
};

/// Whether `a` goes before `b`: the larger logit, the smaller id on a tie.
inline bool before(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

/// Tokens looked at together; rows are scanned in groups of these.
inline constexpr std::size_t kGroup = 64;

/// The largest of up to kGroup logits; NaN are passed over. -infinity of none.
float group_max(std::span<const float> logits);

/// The largest logit of a row [vocab_size] and its token. Tokens at -infinity are dead.
/// Errors: internal (a logit that is NaN or +infinity, with its token; no token alive).
Result<Candidate> find_largest(std::span<const float> logits);

/// Sum of e^((logit - max) / temperature) over a row [vocab_size], always added in one order.
/// Pre: no logit is above `max`, temperature > 0.
double sum_exp(std::span<const float> logits, float max, float temperature);

}  // namespace troupe::gumbel
