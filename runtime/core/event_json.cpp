#include "troupe/core/event_json.h"

#include "troupe/core/utf8.h"

#include <cmath>
#include <string>
#include <string_view>

namespace troupe {
namespace {

Value ids_to_json(const std::vector<TokenId>& ids) {
  Value::Array array;
  for (const auto id : ids)
    array.emplace_back(static_cast<std::int64_t>(id));
  return array;
}

Value::Array bytes_to_json(std::string_view bytes) {
  Value::Array array;
  for (const char byte : bytes)
    array.emplace_back(static_cast<std::int64_t>(static_cast<unsigned char>(byte)));
  return array;
}

Value logprob_to_json(const TokenLogprob& logprob, const TokenTable* tokens) {
  Value value;
  value.set("token", static_cast<std::int64_t>(logprob.token));
  if (tokens != nullptr && logprob.token >= 0 && logprob.token < tokens->size()) {
    const auto bytes = tokens->bytes(logprob.token);
    std::string text;
    append_repaired_utf8(text, bytes);
    value.set("text", std::move(text));
    value.set("bytes", bytes_to_json(bytes));
  }
  value.set("logprob", static_cast<double>(logprob.logprob));
  return value;
}

/// Pre: the event has scores: then the tokenizer has had its request and writes no more to it.
const TokenTable* tokens_of(const TokenEvent& event) {
  return event.context ? event.context->tokens.get() : nullptr;
}

}  // namespace

Value error_to_json(const Error& error, double retry_after_ms) {
  Value value;
  value.set("code", to_string(error.code()));
  value.set("message", error.message());
  if (retry_after_ms > 0) value.set("retry_after_ms", retry_after_ms);
  return value;
}

Value usage_to_json(const Usage& usage) {
  Value value;
  value.set("prompt_tokens", usage.prompt_tokens);
  value.set("completion_tokens", usage.completion_tokens);
  value.set("total_tokens", usage.prompt_tokens + usage.completion_tokens);
  value.set("cached_tokens", usage.cached_tokens);
  return value;
}

Value timings_to_json(const Timings& timings) {
  // Microseconds are as much as a clock knows.
  const auto rounded = [](double ms) { return std::round(ms * 1000) / 1000; };
  Value value;
  value.set("queue_ms", rounded(timings.queue_ms));
  value.set("prefill_ms", rounded(timings.prefill_ms));
  value.set("ttft_ms", rounded(timings.ttft_ms));
  value.set("tpot_ms", rounded(timings.tpot_ms));
  value.set("e2e_ms", rounded(timings.e2e_ms));
  return value;
}

Value score_to_json(const TokenScore& score, const TokenTable* tokens) {
  Value value = logprob_to_json(score.chosen, tokens);
  Value::Array top;
  for (const auto& candidate : score.top)
    top.push_back(logprob_to_json(candidate, tokens));
  value.set("top", std::move(top));
  return value;
}

Value scores_to_json(const std::vector<TokenScore>& scores, const TokenTable* tokens) {
  Value::Array array;
  array.reserve(scores.size());
  for (const auto& score : scores)
    array.push_back(score_to_json(score, tokens));
  return array;
}

Value prompt_scores_to_json(const std::vector<TokenScore>& scores, const TokenTable* tokens) {
  Value array = scores_to_json(scores, tokens);
  if (!scores.empty()) array.as_array().front().set("logprob", Value());
  return array;
}

Value event_to_json(const TokenEvent& event) {
  Value value;
  value.set("id", event.client_id);
  value.set("event", event.last ? "end" : "tokens");
  value.set("number", static_cast<std::int64_t>(event.number));
  value.set("choice", static_cast<std::int64_t>(event.choice));
  value.set("text", event.text);
  value.set("token_ids", ids_to_json(event.token_ids));
  if (!event.prompt_scores.empty())
    value.set("prompt_logprobs", prompt_scores_to_json(event.prompt_scores, tokens_of(event)));
  if (!event.scores.empty()) value.set("logprobs", scores_to_json(event.scores, tokens_of(event)));
  if (event.finish != FinishReason::none) value.set("finish_reason", to_string(event.finish));
  if (!event.stop_match.empty()) value.set("stop", event.stop_match);
  if (event.error) value.set("error", error_to_json(*event.error, event.retry_after_ms));
  if (event.last) {
    value.set("usage", usage_to_json(event.usage));
    value.set("timings", timings_to_json(event.timings));
  }
  return value;
}

}  // namespace troupe
