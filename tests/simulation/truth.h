#pragma once
#include "troupe/api/event.h"
#include "troupe/api/sampler.h"
#include "troupe/api/tokenizer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::simulation {

/// What a choice must come out as.
struct Answer {
  std::vector<TokenId> ids;
  std::vector<TokenScore> scores;
  FinishReason finish = FinishReason::none;
  std::string text;  // what the client reads in the end
  std::string stop_match;
};

/// Computes one choice alone, one token at a time, in the plainest way: no batch, no cache, stop
/// strings searched in the whole text. `max_tokens` is the length of the longest sequence.
Answer answer_alone(const TokenizedRequest& request, std::int32_t choice, std::int64_t max_tokens,
                    std::int32_t vocab_size, const Sampler& sampler);

/// The log-probabilities of the prompt's tokens, each computed alone.
std::vector<TokenScore> prompt_scores_alone(const TokenizedRequest& request,
                                            std::int32_t vocab_size, const Sampler& sampler);

}  // namespace troupe::simulation
