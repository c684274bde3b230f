#include "troupe/core/sampling_limits.h"

#include "troupe/core/stop_strings.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <span>
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

/// A field that is a number from `least` to `most`.
Result<void> check_range(std::string_view field, float found, float least, float most,
                         std::string_view expected) {
  if (found >= least && found <= most) return {};
  return refuse(field, found, expected);
}

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

/// The first fault of several checks.
Result<void> first_fault(std::initializer_list<Result<void>> checks) {
  for (const auto& check : checks)
    if (!check) return check;
  return {};
}

Result<void> check_count(std::string_view field, std::int64_t found, std::int64_t least,
                         std::string_view expected) {
  if (found >= least) return {};
  return refuse(field, found, expected);
}

Result<void> check_temperature(const SamplingParams& params) {
  return first_fault({check_range("temperature", params.temperature, 0, kLargest,
                                  "a finite number, 0 or more (0 = greedy)"),
                      check_range("dynatemp_range", params.dynatemp_range, 0, kLargest,
                                  "a finite number, 0 or more (0 = off)"),
                      check_range("dynatemp_exponent", params.dynatemp_exponent, kSmallest,
                                  kLargest, "a finite number above 0")});
}

Result<void> check_filters(const SamplingParams& params) {
  return first_fault(
      {check_count("top_k", params.top_k, -1, "-1 or more (-1 and 0 = off)"),
       check_range("top_p", params.top_p, 0, 1,
                   "0 <= top_p <= 1 (1 = off, 0 = the best token alone)"),
       check_range("min_p", params.min_p, 0, 1, "0 <= min_p <= 1 (0 = off)"),
       check_range("typical_p", params.typical_p, 0, 1, "0 <= typical_p <= 1 (1 = off)"),
       check_range("top_n_sigma", params.top_n_sigma, 0, kLargest,
                   "a finite number, 0 or more (0 = off)"),
       check_range("xtc_probability", params.xtc_probability, 0, 1,
                   "0 <= xtc_probability <= 1 (0 = off)"),
       check_range("xtc_threshold", params.xtc_threshold, 0, 1,
                   "0 <= xtc_threshold <= 1 (above 0.5 = off)")});
}

Result<void> check_mirostat(const SamplingParams& params) {
  if (params.mirostat != 0 && params.mirostat != 2)
    return refuse("mirostat", params.mirostat,
                  "0 (off) or 2; version 1 needs an estimate that version 2 does without");
  return first_fault(
      {check_range("mirostat_tau", params.mirostat_tau, kSmallest, kLargest,
                   "a finite number above 0"),
       check_range("mirostat_eta", params.mirostat_eta, 0, 1, "0 <= mirostat_eta <= 1")});
}

Result<void> check_logprobs(std::string_view field, std::int32_t found) {
  if (found >= -1 && found <= kMaxLogprobs) return {};
  return refuse(field, found, "-1 to " + std::to_string(kMaxLogprobs) + " (-1 = off)");
}

Result<void> check_penalties(const SamplingParams& params) {
  return first_fault(
      {check_range("repetition_penalty", params.repetition_penalty, kSmallest, kLargest,
                   "a finite number above 0 (1 = off)"),
       check_range("presence_penalty", params.presence_penalty, -2, 2, "-2 to 2 (0 = off)"),
       check_range("frequency_penalty", params.frequency_penalty, -2, 2, "-2 to 2 (0 = off)"),
       check_count("penalty_window", params.penalty_window, -1, "-1 or more (-1 = all tokens)")});
}

Result<void> check_words(std::string_view field, std::span<const std::string> words) {
  if (words.size() > kMaxWords)
    return refuse(std::string(field) + " has a size", words.size(),
                  "at most " + std::to_string(kMaxWords));
  std::size_t bytes = 0;
  for (const auto& word : words) {
    if (word.empty())
      return fail(ErrorCode::invalid_argument,
                  std::string(field) + ": found an empty text; expected one byte or more");
    bytes += word.size();
  }
  if (bytes <= kMaxWordBytes) return {};
  return refuse(std::string(field) + " has bytes", bytes,
                "at most " + std::to_string(kMaxWordBytes) + " in all");
}

Result<void> check_dry(const SamplingParams& params) {
  return first_fault(
      {check_range("dry_multiplier", params.dry_multiplier, 0, kLargest,
                   "a finite number, 0 or more (0 = off)"),
       check_range("dry_base", params.dry_base, 1, kLargest, "a finite number, 1 or more"),
       check_count("dry_allowed_length", params.dry_allowed_length, 1, "1 or more"),
       check_count("dry_penalty_last_n", params.dry_penalty_last_n, -1,
                   "-1 or more (-1 = all tokens)"),
       check_words("dry_sequence_breakers", params.dry_sequence_breakers)});
}

Result<void> check_ids(std::string_view field, std::span<const TokenId> ids,
                       std::int32_t vocab_size) {
  // More than there are would only be more work in every step.
  if (vocab_size > 0 && ids.size() > static_cast<std::size_t>(vocab_size))
    return refuse(std::string(field) + " has a size", ids.size(),
                  "at most the " + std::to_string(vocab_size) + " tokens of the model");
  for (const TokenId id : ids)
    if (auto good = check_token(field, id, vocab_size); !good) return good;
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
  if (auto good = check_ids("stop_token_ids", stop.stop_token_ids, vocab_size); !good) return good;
  if (stop.stop.empty()) return {};
  const auto strings = StopStrings::build(stop.stop);
  if (!strings) return fail_at("stop", strings.error());
  return {};
}

Result<void> check_name(std::string_view field, std::string_view found) {
  if (found.size() <= kMaxNameBytes) return {};
  return refuse(std::string(field) + " has bytes", found.size(),
                "at most " + std::to_string(kMaxNameBytes));
}

}  // namespace

Result<void> validate(const SamplingParams& sampling, const StopParams& stop,
                      std::int32_t vocab_size) {
  auto good = first_fault({check_temperature(sampling), check_filters(sampling),
                           check_mirostat(sampling), check_logprobs("logprobs", sampling.logprobs),
                           check_logprobs("prompt_logprobs", sampling.prompt_logprobs),
                           check_penalties(sampling), check_dry(sampling),
                           check_logit_bias(sampling, vocab_size),
                           check_ids("allowed_token_ids", sampling.allowed_token_ids, vocab_size),
                           check_ids("banned_token_ids", sampling.banned_token_ids, vocab_size),
                           check_words("bad_words", sampling.bad_words)});
  if (!good) return good;
  return check_stop(stop, vocab_size);
}

Result<void> validate_request(const Request& request) {
  if (request.n < 1) return refuse("n", request.n, "1 or more choices");
  if (request.best_of != 0 && request.best_of < request.n)
    return refuse("best_of", request.best_of,
                  "at least n, which is " + std::to_string(request.n) + " (0 = n)");
  if (request.stream && request.best_of > request.n)
    return fail(ErrorCode::invalid_argument, "stream: found true; expected false while best_of = " +
                                                 std::to_string(request.best_of) +
                                                 " is more than n = " + std::to_string(request.n) +
                                                 ", as the best are known at the end only");
  if (request.echo && request.kind != RequestKind::completion)
    return fail(ErrorCode::invalid_argument,
                "echo: found true; expected false with 'messages': what the model is given is then "
                "the chat template's text");
  if (auto good = check_name("tenant", request.tenant); !good) return good;
  return check_name("cache_salt", request.cache_salt);
}

Result<void> validate_choices(std::int64_t n, std::int64_t max_choices, std::string_view field) {
  if (n >= 1 && n <= max_choices) return {};
  return refuse(field, n, "1 to " + std::to_string(max_choices) + " choices");
}

}  // namespace troupe
