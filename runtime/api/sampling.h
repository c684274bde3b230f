#pragma once
#include "troupe/api/ids.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// How the next token is drawn. Every field has one meaning for each of its values, and "off" is
/// always spelled out: no value is mistaken for an absent one. The filters work in this order
/// (docs/sampling.md): allowed tokens, logit_bias, penalties, then greedy choice when temperature
/// == 0; else temperature, top_k, top_p, min_p, and the draw.
struct SamplingParams {
  float temperature = 1.0f;          // >= 0; 0 = greedy: the largest logit, the smaller id on a tie
  std::int32_t top_k = 0;            // keep the k largest; 0 or -1 = off
  float top_p = 1.0f;                // 0 < p <= 1; 1 = off
  float min_p = 0.0f;                // 0 <= p <= 1, share of the best token's probability; 0 = off
  float repetition_penalty = 1.0f;   // > 0; 1 = off; over prompt and output tokens
  float presence_penalty = 0.0f;     // -2..2; 0 = off; over output tokens
  float frequency_penalty = 0.0f;    // -2..2; 0 = off; over output tokens
  std::int32_t penalty_window = -1;  // look at so many latest tokens; -1 = all; 0 = none
  std::vector<std::pair<TokenId, float>> logit_bias;  // each id at most once
  std::uint64_t seed = 0;
  /// How many of the most probable tokens to report beside the chosen one; -1 = report no
  /// log-probability. Log-probabilities are of the model's own distribution: before penalties, bias
  /// and temperature.
  std::int32_t logprobs = -1;

  bool operator==(const SamplingParams&) const = default;
};

/// When generation ends, beside the model's own end-of-generation tokens.
struct StopParams {
  std::int64_t max_tokens = -1;   // -1 = until the context is full
  std::int64_t min_tokens = 0;    // end-of-generation tokens are not drawn before
  std::vector<std::string> stop;  // stop strings; not part of the text
  std::vector<TokenId> stop_token_ids;
  bool ignore_eos = false;

  bool operator==(const StopParams&) const = default;
};

/// A token with its natural log-probability.
struct TokenLogprob {
  TokenId token = 0;
  float logprob = 0.0f;

  bool operator==(const TokenLogprob&) const = default;
};

}  // namespace troupe
