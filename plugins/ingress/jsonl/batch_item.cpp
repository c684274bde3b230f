#include "batch_item.h"

#include "troupe/core/event_json.h"

namespace troupe::jsonl {
namespace {

std::string_view name_key(bool openai) {
  return openai ? "custom_id" : "id";
}

}  // namespace

Value result_line(const BatchItem& item) {
  const auto& answer = item.answer;
  Value line;
  line.set(name_key(item.openai), item.name);
  Value choices = choices_to_value(answer);
  if (choices.as_array().size() == 1)
    for (auto& [key, value] : choices.as_array()[0].as_object())
      line.set(key, std::move(value));
  else
    line.set("choices", std::move(choices));
  if (!answer.prompt_scores.empty())
    line.set("prompt_logprobs", prompt_scores_to_json(answer.prompt_scores, answer.tokens.get()));
  line.set("usage", usage_to_json(answer.usage));
  return line;
}

Value error_line(const std::string& name, bool openai, const Error& error) {
  Value line;
  line.set(name_key(openai), name);
  line.set("error", error_to_json(error));
  return line;
}

}  // namespace troupe::jsonl
