#pragma once
#include "troupe/api/event.h"

#include <cstdint>
#include <vector>

namespace troupe {

/// Collects the choices of a request with best_of > n and gives its client the n best: those with
/// the highest mean log-probability per token, the best first; of equal ones the earlier.
class BestOf {
 public:
  /// `with_scores`: whether the client asked for log-probabilities; they are collected in any case.
  BestOf(std::int32_t n, bool with_scores) : n_(n), with_scores_(with_scores) {}

  /// Takes the request's next event. The last one yields the events for the client, one per choice;
  /// of a request that failed or was cancelled, that event alone. All others yield nothing.
  /// Pre: each token comes with its score.
  std::vector<TokenEvent> add(const TokenEvent& event);

 private:
  std::vector<TokenEvent> best(const TokenEvent& last);

  std::int32_t n_;
  bool with_scores_;
  std::vector<TokenEvent> choices_;  // each choice's events as one
  std::vector<TokenScore> prompt_scores_;
};

}  // namespace troupe
