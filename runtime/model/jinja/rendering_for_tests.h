#pragma once
#include "troupe/api/value.h"
#include "troupe/model/chat_template.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::model::jinja::testing {

/// Input with the given variables (messages, tools and documents among them), at noon of
/// 2026-01-15.
inline RenderInput input_with(Value::Object variables) {
  RenderInput input;
  using namespace std::chrono;
  input.now = local_days(year(2026) / January / 15) + hours(12);
  input.messages = Value(Value::Array{});
  input.chat_template_kwargs = Value(Value::Object{});
  for (auto& [name, value] : variables) {
    if (name == "messages") {
      input.messages = std::move(value);
    } else if (name == "tools") {
      input.tools = std::move(value);
    } else {
      input.chat_template_kwargs.set(name, std::move(value));
    }
  }
  return input;
}

inline Result<RenderedPrompt> render(std::string_view source, const RenderInput& input) {
  const auto parsed = ChatTemplate::parse(source, SpecialTokens{"<s>", "</s>", "<unk>", {}});
  if (!parsed) return fail(parsed.error());
  return parsed->render(input);
}

/// What a template shows, or "error: " and the message.
inline std::string shown(std::string_view source, Value::Object variables = {}) {
  const auto prompt = render(source, input_with(std::move(variables)));
  return prompt ? prompt->text : "error: " + prompt.error().message();
}

/// What an expression shows.
inline std::string value_of(std::string_view expression, Value::Object variables = {}) {
  return shown("{{ " + std::string(expression) + " }}", std::move(variables));
}

/// The rendering with its untrusted runs between brackets: "<|user|>[hello]".
inline std::string marked(std::string_view source, Value::Object variables = {}) {
  const auto prompt = render(source, input_with(std::move(variables)));
  if (!prompt) return "error: " + prompt.error().message();
  std::string text;
  std::size_t at = 0;
  const auto untrusted = [&](std::size_t end) {
    if (end > at) text += "[" + prompt->text.substr(at, end - at) + "]";
  };
  for (const auto& span : prompt->trusted) {
    untrusted(span.begin);
    text += prompt->text.substr(span.begin, span.end - span.begin);
    at = span.end;
  }
  untrusted(prompt->text.size());
  return text;
}

}  // namespace troupe::model::jinja::testing
