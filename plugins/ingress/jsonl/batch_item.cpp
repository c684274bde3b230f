#include "batch_item.h"

#include "troupe/core/request_json.h"

namespace troupe::jsonl {
namespace {

std::string_view name_key(bool openai) {
  return openai ? "custom_id" : "id";
}

Value choice_value(BatchItem::Choice& choice) {
  Value value;
  value.set("text", std::move(choice.text));
  Value::Array ids;
  ids.reserve(choice.ids.size());
  for (const auto id : choice.ids)
    ids.emplace_back(static_cast<std::int64_t>(id));
  value.set("token_ids", std::move(ids));
  if (choice.finish != FinishReason::none) value.set("finish_reason", to_string(choice.finish));
  return value;
}

}  // namespace

void BatchItem::add(const TokenEvent& event) {
  if (!event.error) {
    const auto index = static_cast<std::size_t>(event.choice);
    if (choices.size() <= index) choices.resize(index + 1);
    auto& choice = choices[index];
    choice.text += event.text;
    choice.ids.insert(choice.ids.end(), event.token_ids.begin(), event.token_ids.end());
    if (event.finish != FinishReason::none) choice.finish = event.finish;
  }
  if (event.last) end = {event.finish, event.error, event.retry_after_ms, event.usage};
}

Value result_line(BatchItem& item) {
  Value line;
  line.set(name_key(item.openai), item.name);
  Value::Array choices;
  for (auto& choice : item.choices)
    choices.push_back(choice_value(choice));
  if (choices.size() == 1)
    for (auto& [key, value] : choices[0].as_object())
      line.set(key, std::move(value));
  else
    line.set("choices", std::move(choices));
  line.set("usage", usage_to_json(item.end.usage));
  return line;
}

Value error_line(const std::string& name, bool openai, const Error& error) {
  Value line;
  line.set(name_key(openai), name);
  line.set("error", error_to_json(error));
  return line;
}

}  // namespace troupe::jsonl
