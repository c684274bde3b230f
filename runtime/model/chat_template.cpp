#include "troupe/model/chat_template.h"

#include "troupe/model/jinja/ast.h"
#include "troupe/model/jinja/render.h"
#include "troupe/model/jinja/request_values.h"
#include "troupe/model/jinja/try.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::model {
namespace {

/// Names that a request may not define, since the engine does.
constexpr std::string_view kReserved[] = {
    "messages",     "tools",         "documents", "add_generation_prompt",
    "bos_token",    "eos_token",     "unk_token", "pad_token",
    "range",        "namespace",     "dict",      "raise_exception",
    "loop",         "caller",        "varargs",   "kwargs",
    "strftime_now", "chat_template",
};

bool is_reserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

Result<void> define_token(jinja::Render& render, const std::string& name,
                          const std::optional<std::string>& text) {
  if (!text) return {};
  JINJA_TRY(value, render.heap().text(*text, true));
  render.define(name, value);
  return {};
}

Result<void> define_tokens(jinja::Render& render, const SpecialTokens& tokens) {
  JINJA_CHECK(define_token(render, "bos_token", tokens.bos));
  JINJA_CHECK(define_token(render, "eos_token", tokens.eos));
  JINJA_CHECK(define_token(render, "unk_token", tokens.unk));
  return define_token(render, "pad_token", tokens.pad);
}

Result<void> define_kwargs(jinja::Render& render, const Value& kwargs) {
  if (kwargs.is_null()) return {};
  if (!kwargs.is_object())
    return fail(ErrorCode::invalid_argument,
                "chat_template_kwargs must be an object, found " + std::string(kwargs.type_name()));
  for (const auto& [name, value] : kwargs.as_object()) {
    if (is_reserved(name))
      return fail(ErrorCode::invalid_argument, "chat_template_kwargs may not set '" + name +
                                                   "', which the chat template engine sets itself");
    JINJA_TRY(variable, jinja::from_request(render, value));
    render.define(name, variable);
  }
  return {};
}

Result<void> define_input(jinja::Render& render, const RenderInput& input) {
  JINJA_TRY(messages, jinja::messages_from_request(render, input.messages));
  JINJA_TRY(tools, jinja::from_request(render, input.tools));
  JINJA_TRY(documents, jinja::from_request(render, input.documents));
  render.define("messages", messages);
  render.define("tools", tools);
  render.define("documents", documents);
  render.define("add_generation_prompt", jinja::Var::boolean(input.add_generation_prompt));
  return define_kwargs(render, input.chat_template_kwargs);
}

}  // namespace

ChatTemplate::ChatTemplate(std::shared_ptr<const jinja::Template> parsed, SpecialTokens tokens)
    : template_(std::move(parsed)), tokens_(std::move(tokens)) {}

Result<ChatTemplate> ChatTemplate::parse(std::string_view source, SpecialTokens tokens) {
  JINJA_TRY(parsed, jinja::Template::parse(source));
  return ChatTemplate(std::move(parsed), std::move(tokens));
}

Result<RenderedPrompt> ChatTemplate::render(const RenderInput& input) const {
  jinja::Render render(*template_, input.limits, input.now);
  JINJA_CHECK(define_tokens(render, tokens_));
  JINJA_CHECK(define_input(render, input));
  JINJA_TRY(text, render.run());
  return RenderedPrompt{text.bytes(), text.trusted()};
}

}  // namespace troupe::model
