#include "troupe/core/answer.h"

#include "troupe/core/event_json.h"

namespace troupe {

Value to_value(const Choice& choice, const TokenTable* tokens) {
  Value value;
  value.set("text", choice.text);
  Value::Array ids;
  ids.reserve(choice.token_ids.size());
  for (const auto id : choice.token_ids)
    ids.emplace_back(static_cast<std::int64_t>(id));
  value.set("token_ids", std::move(ids));
  if (choice.finish != FinishReason::none) value.set("finish_reason", to_string(choice.finish));
  if (!choice.stop_match.empty()) value.set("stop", choice.stop_match);
  if (!choice.scores.empty()) value.set("logprobs", scores_to_json(choice.scores, tokens));
  return value;
}

Value choices_to_value(const Answer& answer) {
  Value::Array choices;
  for (const auto& choice : answer.choices)
    choices.push_back(to_value(choice, answer.tokens.get()));
  return choices;
}

void Answer::add(const TokenEvent& event) {
  const auto index = static_cast<std::size_t>(event.choice);
  if (choices.size() <= index) choices.resize(index + 1);
  Choice& choice = choices[index];
  choice.text += event.text;
  choice.token_ids.insert(choice.token_ids.end(), event.token_ids.begin(), event.token_ids.end());
  choice.scores.insert(choice.scores.end(), event.scores.begin(), event.scores.end());
  if (!event.prompt_scores.empty()) prompt_scores = event.prompt_scores;
  // Before its first score the tokenizer may still write to the request's context.
  const bool scored = !event.scores.empty() || !event.prompt_scores.empty();
  if (scored && !tokens && event.context) tokens = event.context->tokens;
  if (event.finish != FinishReason::none) choice.finish = event.finish;
  if (!event.stop_match.empty()) choice.stop_match = event.stop_match;
  if (event.error) error = event.error;
  if (!event.last) return;
  usage = event.usage;
  timings = event.timings;
  retry_after_ms = event.retry_after_ms;
}

Value to_value(const Answer& answer) {
  Value value;
  if (answer.choices.size() == 1)
    value = to_value(answer.choices.front(), answer.tokens.get());
  else
    value.set("choices", choices_to_value(answer));
  if (!answer.prompt_scores.empty())
    value.set("prompt_logprobs", prompt_scores_to_json(answer.prompt_scores, answer.tokens.get()));
  if (answer.error) value.set("error", error_to_json(*answer.error, answer.retry_after_ms));
  value.set("usage", usage_to_json(answer.usage));
  value.set("timings", timings_to_json(answer.timings));
  return value;
}

}  // namespace troupe
