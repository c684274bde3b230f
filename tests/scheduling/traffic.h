#pragma once
#include "troupe/api/executor_info.h"
#include "troupe/api/sampler.h"
#include "troupe/api/tokenizer.h"
#include "troupe/testing/plain_operators.h"

#include <cstdint>
#include <random>
#include <vector>

namespace troupe::scheduling_test {

/// One request, and in which turn it arrives and its client goes away (-1 = never).
struct Arrival {
  TokenizedRequestPtr request;
  int turn = 0;
  int cancel_turn = -1;
};

/// Requests of one run. Many prompts begin alike, so that a prefix cache finds something.
std::vector<Arrival> make_traffic(std::mt19937& random, const ExecutorInfo& info,
                                  bool with_priorities);

/// Draws the largest logit, moved by seed and position, so that the choices of a request differ.
class MovedLargest : public Sampler {
 public:
  void sample(const SampleBatch& batch, SampledTokens& out) const override;
  static TokenId moved(TokenId largest, std::uint64_t seed, std::int32_t position);

 private:
  testing::PickLargest largest_;
};

/// What a choice must come out as: one token at a time, with nothing else around.
std::vector<TokenId> answer_alone(const TokenizedRequest& request, std::int32_t choice,
                                  std::int64_t max_tokens, const ExecutorInfo& info);

}  // namespace troupe::scheduling_test
