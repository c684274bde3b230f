#include "troupe/engine/answer.h"

namespace troupe {
namespace {

Value to_value(const Choice& choice) {
  Value value;
  value.set("text", choice.text);
  Value::Array ids;
  for (const auto id : choice.token_ids)
    ids.emplace_back(static_cast<std::int64_t>(id));
  value.set("token_ids", std::move(ids));
  value.set("finish_reason", to_string(choice.finish));
  if (!choice.stop_match.empty()) value.set("stop", choice.stop_match);
  if (choice.scores.empty()) return value;
  Value::Array logprobs;
  for (const auto& score : choice.scores) {
    Value entry;
    entry.set("token", static_cast<std::int64_t>(score.chosen.token));
    entry.set("logprob", static_cast<double>(score.chosen.logprob));
    Value::Array top;
    for (const auto& candidate : score.top) {
      Value item;
      item.set("token", static_cast<std::int64_t>(candidate.token));
      item.set("logprob", static_cast<double>(candidate.logprob));
      top.push_back(std::move(item));
    }
    entry.set("top", std::move(top));
    logprobs.push_back(std::move(entry));
  }
  value.set("logprobs", std::move(logprobs));
  return value;
}

}  // namespace

void Answer::add(const TokenEvent& event) {
  const auto index = static_cast<std::size_t>(event.choice);
  if (choices.size() <= index) choices.resize(index + 1);
  Choice& choice = choices[index];
  choice.text += event.text;
  choice.token_ids.insert(choice.token_ids.end(), event.token_ids.begin(), event.token_ids.end());
  choice.scores.insert(choice.scores.end(), event.scores.begin(), event.scores.end());
  if (event.finish != FinishReason::none) choice.finish = event.finish;
  if (!event.stop_match.empty()) choice.stop_match = event.stop_match;
  if (event.error) error = event.error;
  if (!event.last) return;
  usage = event.usage;
  timings = event.timings;
  retry_after_ms = event.retry_after_ms;
}

Value to_value(const Usage& usage) {
  Value value;
  value.set("prompt_tokens", usage.prompt_tokens);
  value.set("completion_tokens", usage.completion_tokens);
  value.set("total_tokens", usage.prompt_tokens + usage.completion_tokens);
  value.set("cached_tokens", usage.cached_tokens);
  return value;
}

Value to_value(const Timings& timings) {
  Value value;
  value.set("queue_ms", timings.queue_ms);
  value.set("prefill_ms", timings.prefill_ms);
  value.set("ttft_ms", timings.ttft_ms);
  value.set("tpot_ms", timings.tpot_ms);
  value.set("e2e_ms", timings.e2e_ms);
  return value;
}

Value to_value(const Error& error) {
  Value value;
  value.set("code", to_string(error.code()));
  value.set("message", error.message());
  return value;
}

Value to_value(const Answer& answer) {
  Value value;
  if (answer.error) {
    value.set("error", to_value(*answer.error));
    if (answer.retry_after_ms > 0) value.set("retry_after_ms", answer.retry_after_ms);
  }
  if (answer.choices.size() == 1) {
    value = [&] {
      Value merged = to_value(answer.choices.front());
      if (const auto* error = value.find("error")) merged.set("error", *error);
      if (const auto* retry = value.find("retry_after_ms")) merged.set("retry_after_ms", *retry);
      return merged;
    }();
  } else {
    Value::Array choices;
    for (const auto& choice : answer.choices)
      choices.push_back(to_value(choice));
    value.set("choices", std::move(choices));
  }
  value.set("usage", to_value(answer.usage));
  value.set("timings", to_value(answer.timings));
  return value;
}

}  // namespace troupe
