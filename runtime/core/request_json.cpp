#include "troupe/core/request_json.h"

#include "troupe/core/field_reader.h"
#include "troupe/core/json.h"
#include "troupe/core/sampling_limits.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace troupe {
namespace {

constexpr std::int64_t kMostInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostInt64 = std::numeric_limits<std::int64_t>::max();
/// A day: a deadline farther off says nothing.
constexpr std::int64_t kLongestTimeoutMs = 24 * 3600 * 1000;

/// The id that a key of logit_bias names.
std::optional<TokenId> parse_token_id(std::string_view text) {
  TokenId id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id < 0) return std::nullopt;
  return id;
}

void read_logit_bias(FieldReader& reader, SamplingParams& sampling) {
  const auto* value = reader.any("logit_bias");
  if (!value) return;
  if (!value->is_object())
    return reader.refuse("logit_bias", "an object from token id to a number", *value);
  for (const auto& [key, bias] : value->as_object()) {
    const auto id = parse_token_id(key);
    if (!id) return reader.refuse("logit_bias", "token ids as keys", Value(key));
    if (!bias.is_number() || !std::isfinite(static_cast<float>(bias.as_double())))
      return reader.refuse("logit_bias." + key, "a number", bias);
    sampling.logit_bias.emplace_back(*id, static_cast<float>(bias.as_double()));
  }
}

/// OpenAI's two spellings: `logprobs` as a count, or true with `top_logprobs`.
void read_logprobs(FieldReader& reader, SamplingParams& sampling) {
  std::int32_t top = 0;
  const bool has_top = reader.any("top_logprobs") != nullptr;
  reader.integer("top_logprobs", top, 0, kMaxLogprobs);
  const auto* value = reader.any("logprobs");
  if (value && value->is_bool()) {
    if (value->as_bool()) sampling.logprobs = top;
    if (!value->as_bool() && has_top)
      reader.refuse("top_logprobs", "no value while logprobs is false",
                    Value(static_cast<std::int64_t>(top)));
    return;
  }
  if (value) return reader.integer("logprobs", sampling.logprobs, -1, kMaxLogprobs);
  if (has_top) sampling.logprobs = top;
}

void read_sampling(FieldReader& reader, SamplingParams& sampling) {
  reader.number("temperature", sampling.temperature);
  reader.integer("top_k", sampling.top_k, -1, kMostInt32);
  reader.number("top_p", sampling.top_p);
  reader.number("min_p", sampling.min_p);
  reader.number("repetition_penalty", sampling.repetition_penalty);
  reader.number("presence_penalty", sampling.presence_penalty);
  reader.number("frequency_penalty", sampling.frequency_penalty);
  reader.integer("penalty_window", sampling.penalty_window, -1, kMostInt32);
  reader.integer("seed", sampling.seed, 0, kMostInt64);
  read_logit_bias(reader, sampling);
  read_logprobs(reader, sampling);
}

void read_stop(FieldReader& reader, StopParams& stop) {
  reader.integer("max_tokens", stop.max_tokens, -1, kMostInt64);
  reader.integer("max_completion_tokens", stop.max_tokens, -1, kMostInt64);
  reader.integer("min_tokens", stop.min_tokens, 0, kMostInt64);
  reader.texts("stop", stop.stop);
  reader.integers("stop_token_ids", stop.stop_token_ids, 0, kMostInt32);
  reader.boolean("ignore_eos", stop.ignore_eos);
}

void read_prompt(FieldReader& reader, Request& request) {
  const auto* prompt = reader.any("prompt");
  if (!prompt) return;
  request.kind = RequestKind::completion;
  if (prompt->is_string())
    request.prompt = {{prompt->as_string(), false}};
  else if (prompt->is_array())
    reader.integers("prompt", request.prompt_ids, 0, kMostInt32);
  else
    reader.refuse("prompt", "a string or an array of token ids", *prompt);
}

void read_messages(FieldReader& reader, Request& request) {
  const auto* messages = reader.any("messages");
  if (!messages) return;
  request.kind = RequestKind::chat;
  if (!messages->is_array() || messages->as_array().empty())
    return reader.refuse("messages", "an array with at least one message", *messages);
  for (const auto& message : messages->as_array()) {
    const auto* role = message.find("role");
    if (!role || !role->is_string())
      return reader.refuse("messages", "objects with a string 'role'", message);
    request.messages.push_back(message);
  }
}

void read_template_arguments(FieldReader& reader, Request& request) {
  if (const auto* tools = reader.any("tools")) {
    if (!tools->is_array()) return reader.refuse("tools", "an array", *tools);
    request.tools = *tools;
  }
  if (const auto* arguments = reader.any("chat_template_kwargs")) {
    if (!arguments->is_object())
      return reader.refuse("chat_template_kwargs", "an object", *arguments);
    request.chat_template_kwargs = *arguments;
  }
  reader.boolean("add_generation_prompt", request.add_generation_prompt);
}

void read_input(FieldReader& reader, Request& request) {
  const bool prompt = reader.any("prompt") != nullptr;
  const bool messages = reader.any("messages") != nullptr;
  if (prompt == messages)
    return reader.refuse(
        Error(ErrorCode::invalid_argument,
              prompt ? "found both 'prompt' and 'messages'; expected one of them"
                     : "found neither 'prompt' nor 'messages'; expected one of them"));
  read_prompt(reader, request);
  read_messages(reader, request);
  read_template_arguments(reader, request);
}

void read_handling(FieldReader& reader, Request& request, Time now) {
  reader.text("id", request.client_id);
  reader.text("model", request.model);
  reader.integer("n", request.n, 1, kMostInt32);
  reader.boolean("stream", request.stream);
  reader.integer("priority", request.priority, -kMostInt32, kMostInt32);
  reader.text("tenant", request.tenant);
  reader.text("user", request.tenant);
  reader.text("cache_salt", request.cache_salt);
  std::int64_t timeout_ms = 0;
  reader.integer("timeout_ms", timeout_ms, 1, kLongestTimeoutMs);
  if (timeout_ms > 0) request.deadline = now + std::chrono::milliseconds(timeout_ms);
}

Value ids_to_json(const std::vector<TokenId>& ids) {
  Value::Array array;
  for (const auto id : ids)
    array.emplace_back(static_cast<std::int64_t>(id));
  return array;
}

Value logprob_to_json(const TokenLogprob& logprob) {
  Value value;
  value.set("token", static_cast<std::int64_t>(logprob.token));
  value.set("logprob", static_cast<double>(logprob.logprob));
  return value;
}

}  // namespace

Result<Request> parse_request(const Value& json, Time now) {
  Request request;
  FieldReader reader(json);
  read_handling(reader, request, now);
  read_input(reader, request);
  read_sampling(reader, request.sampling);
  read_stop(reader, request.stop);
  if (auto fields = reader.finish(); !fields) return fail(fields.error());
  if (auto valid = validate(request.sampling, request.stop, 0); !valid) return fail(valid.error());
  return request;
}

Result<Request> parse_render_request(const Value& json) {
  Request request;
  FieldReader reader(json);
  read_input(reader, request);
  if (auto fields = reader.finish(); !fields) return fail(fields.error());
  return request;
}

Result<Request> parse_openai_batch_line(const Value& json, Time now) {
  FieldReader reader(json);
  std::string id, method = "POST", url;
  reader.text("custom_id", id);
  reader.text("method", method);
  reader.text("url", url);
  const auto* body = reader.any("body");
  if (auto fields = reader.finish(); !fields) return fail(fields.error());
  if (!body) return fail(ErrorCode::invalid_argument, "body: found nothing; expected a request");
  auto request = parse_request(*body, now);
  if (!request) return fail_at("body", request.error());
  request->client_id = std::move(id);
  return request;
}

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

Value score_to_json(const TokenScore& score) {
  Value value = logprob_to_json(score.chosen);
  Value::Array top;
  for (const auto& candidate : score.top)
    top.push_back(logprob_to_json(candidate));
  value.set("top", std::move(top));
  return value;
}

Value event_to_json(const TokenEvent& event) {
  Value value;
  value.set("id", event.client_id);
  value.set("event", event.last ? "end" : "tokens");
  value.set("number", static_cast<std::int64_t>(event.number));
  value.set("choice", static_cast<std::int64_t>(event.choice));
  value.set("text", event.text);
  value.set("token_ids", ids_to_json(event.token_ids));
  if (!event.scores.empty()) {
    Value::Array scores;
    for (const auto& score : event.scores)
      scores.push_back(score_to_json(score));
    value.set("logprobs", std::move(scores));
  }
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
