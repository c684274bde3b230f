#pragma once
#include "troupe/api/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// How the next token is drawn. Every field has one meaning for each of its values, and "off" is
/// always spelled out: no value is mistaken for an absent one. Order and formulae are in
/// docs/sampling.md; the fields stand here in the order in which they work by default.
struct SamplingParams {
  std::vector<std::pair<TokenId, float>> logit_bias;  // each id at most once
  std::vector<TokenId> allowed_token_ids;             // no other token is drawn; empty = all may be
  std::vector<TokenId> banned_token_ids;              // never drawn
  /// Texts of which the last token is not drawn where the output ends in all others of its tokens.
  std::vector<std::string> bad_words;

  float repetition_penalty = 1.0f;   // > 0; 1 = off; over prompt and output tokens
  float presence_penalty = 0.0f;     // -2..2; 0 = off; over output tokens
  float frequency_penalty = 0.0f;    // -2..2; 0 = off; over output tokens
  std::int32_t penalty_window = -1;  // look at so many latest tokens; -1 = all; 0 = none

  float dry_multiplier = 0.0f;           // >= 0; 0 = off
  float dry_base = 1.75f;                // >= 1
  std::int32_t dry_allowed_length = 2;   // >= 1; longer repetitions cost
  std::int32_t dry_penalty_last_n = -1;  // look at so many latest tokens; -1 = all; 0 = none
  std::vector<std::string> dry_sequence_breakers = {"\n", ":", "\"",
                                                    "*"};  // a repetition ends here

  float top_n_sigma = 0.0f;  // >= 0, standard deviations below the largest logit; 0 = off

  float temperature = 1.0f;        // >= 0; 0 = greedy: the largest logit, the smaller id on a tie
  float dynatemp_range = 0.0f;     // >= 0: temperature -+ range, by entropy; 0 = off
  float dynatemp_exponent = 1.0f;  // > 0

  std::int32_t top_k = 0;  // keep the k largest; 0 or -1 = off
  float typical_p = 1.0f;  // 0 <= p <= 1; 1 = off
  float top_p = 1.0f;      // 0 <= p <= 1; 1 = off; 0 = the best token alone
  float min_p = 0.0f;      // 0 <= p <= 1, share of the best token's probability; 0 = off

  float xtc_probability = 0.0f;  // 0..1: how often the most probable tokens are taken out; 0 = off
  float xtc_threshold = 0.1f;    // 0..1; above 0.5 there are never two such tokens

  std::int32_t mirostat = 0;  // 0 = off; 2 = version 2
  float mirostat_tau = 5.0f;  // > 0, bits: the surprise aimed at
  float mirostat_eta = 0.1f;  // 0..1: how fast the bound follows

  std::optional<std::uint64_t> seed;  // none = the door draws one

  /// How many of the most probable tokens to report beside the chosen one; -1 = report no
  /// log-probability. Log-probabilities are of the model's own distribution: before penalties, bias
  /// and temperature.
  std::int32_t logprobs = -1;
  /// The same for each token of the prompt. See Request::wants_prompt_logprobs.
  std::int32_t prompt_logprobs = -1;

  bool operator==(const SamplingParams&) const = default;
};

/// When generation ends, beside the model's own end-of-generation tokens.
struct StopParams {
  std::int64_t max_tokens = -1;   // -1 = until the context is full
  std::int64_t min_tokens = 0;    // end-of-generation tokens are not drawn before
  std::vector<std::string> stop;  // stop strings; not part of the text
  std::vector<TokenId> stop_token_ids;
  bool ignore_eos = false;
  bool include_stop_str_in_output = false;  // what ended the text is part of it

  bool operator==(const StopParams&) const = default;
};

/// A token with its natural log-probability.
struct TokenLogprob {
  TokenId token = 0;
  float logprob = 0.0f;

  bool operator==(const TokenLogprob&) const = default;
};

}  // namespace troupe
