#include "troupe/core/sampling_limits.h"

#include "troupe/core/stop_strings.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {
namespace {

template <class Number>
std::string text_of(Number number) {
  std::ostringstream out;
  out.precision(9);
  out << number;
  return out.str();
}

template <class Number>
Result<void> refuse(std::string_view field, Number found, std::string_view expected) {
  return fail(ErrorCode::invalid_argument,
              std::string(field) + " = " + text_of(found) + ": expected " + std::string(expected));
}

Result<void> check_token(std::string_view field, TokenId id, std::int32_t vocab_size) {
  if (id >= 0 && (vocab_size == 0 || id < vocab_size)) return {};
  return refuse(field, id,
                vocab_size == 0
                    ? std::string("a token id, 0 or more")
                    : "a token id of the model, 0 to " + std::to_string(vocab_size - 1));
}

// Comparisons are written so that NaN, of which every comparison is false, is refused.
Result<void> check_filters(const SamplingParams& params) {
  if (!(params.temperature >= 0 && std::isfinite(params.temperature)))
    return refuse("temperature", params.temperature, "a finite number, 0 or more (0 = greedy)");
  if (params.top_k < -1) return refuse("top_k", params.top_k, "-1 or more (-1 and 0 = off)");
  if (!(params.top_p > 0 && params.top_p <= 1))
    return refuse("top_p", params.top_p, "0 < top_p <= 1 (1 = off)");
  if (!(params.min_p >= 0 && params.min_p <= 1))
    return refuse("min_p", params.min_p, "0 <= min_p <= 1 (0 = off)");
  if (params.logprobs < -1 || params.logprobs > kMaxLogprobs)
    return refuse("logprobs", params.logprobs,
                  "-1 to " + std::to_string(kMaxLogprobs) + " (-1 = off)");
  return {};
}

Result<void> check_penalties(const SamplingParams& params) {
  if (!(params.repetition_penalty > 0 && std::isfinite(params.repetition_penalty)))
    return refuse("repetition_penalty", params.repetition_penalty,
                  "a finite number above 0 (1 = off)");
  if (!(params.presence_penalty >= -2 && params.presence_penalty <= 2))
    return refuse("presence_penalty", params.presence_penalty, "-2 to 2 (0 = off)");
  if (!(params.frequency_penalty >= -2 && params.frequency_penalty <= 2))
    return refuse("frequency_penalty", params.frequency_penalty, "-2 to 2 (0 = off)");
  if (params.penalty_window < -1)
    return refuse("penalty_window", params.penalty_window, "-1 or more (-1 = all tokens)");
  return {};
}

Result<void> check_logit_bias(const SamplingParams& params, std::int32_t vocab_size) {
  std::vector<TokenId> ids;
  ids.reserve(params.logit_bias.size());
  for (const auto& [id, bias] : params.logit_bias) {
    if (auto good = check_token("logit_bias", id, vocab_size); !good) return good;
    if (!(bias >= -kMaxLogitBias && bias <= kMaxLogitBias))
      return refuse("logit_bias[" + std::to_string(id) + "]", bias, "-100 to 100");
    ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) return refuse("logit_bias", *twice, "each token id at most once");
  return {};
}

Result<void> check_stop(const StopParams& stop, std::int32_t vocab_size) {
  if (stop.max_tokens < -1)
    return refuse("max_tokens", stop.max_tokens, "-1 or more (-1 = until the context is full)");
  if (stop.min_tokens < 0) return refuse("min_tokens", stop.min_tokens, "0 or more");
  if (stop.max_tokens >= 0 && stop.min_tokens > stop.max_tokens)
    return refuse("min_tokens", stop.min_tokens,
                  "at most max_tokens, which is " + std::to_string(stop.max_tokens));
  if (stop.stop_token_ids.size() > kMaxStopTokenIds)
    return refuse("stop_token_ids has a size", stop.stop_token_ids.size(),
                  "at most " + std::to_string(kMaxStopTokenIds));
  for (const TokenId id : stop.stop_token_ids)
    if (auto good = check_token("stop_token_ids", id, vocab_size); !good) return good;
  if (stop.stop.empty()) return {};
  const auto strings = StopStrings::build(stop.stop);
  if (!strings) return fail_at("stop", strings.error());
  return {};
}

}  // namespace

Result<void> validate(const SamplingParams& sampling, const StopParams& stop,
                      std::int32_t vocab_size) {
  if (auto good = check_filters(sampling); !good) return good;
  if (auto good = check_penalties(sampling); !good) return good;
  if (auto good = check_logit_bias(sampling, vocab_size); !good) return good;
  return check_stop(stop, vocab_size);
}

Result<void> validate_choices(std::int64_t n, std::int64_t max_choices) {
  if (n >= 1 && n <= max_choices) return {};
  return refuse("n", n, "1 to " + std::to_string(max_choices) + " choices");
}

}  // namespace troupe
