#include "template_source.h"
#include "troupe/api/plugin.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace troupe {
namespace {

constexpr ParamSpec kParams[] = {
    {"model", ParamType::text, R"("default")",
     "the [model.NAME] table whose file holds the chat template and names the special tokens"},
    {"name", ParamType::text, R"("")",
     "a named template of the model file, such as tool_use; empty: the default one, and tool_use "
     "for requests with tools if the file has it"},
    {"template", ParamType::text, R"("")",
     "the text of a chat template in place of the model's; empty: the model's own"},
    {"template_file", ParamType::text, R"("")",
     "a file with a chat template in place of the model's; empty: the model's own"},
    {"source_date", ParamType::integer, "-1",
     "the date that templates show, since 1970 in UTC; -1: SOURCE_DATE_EPOCH, or else the local "
     "time",
     "s", -1, 253402300799},
};

/// The rendered text cut at its marks.
std::vector<PromptPiece> pieces_of(const model::RenderedPrompt& rendered) {
  std::vector<PromptPiece> pieces;
  std::size_t at = 0;
  const auto add = [&](std::size_t end, bool trusted) {
    if (end > at) pieces.push_back({rendered.text.substr(at, end - at), trusted});
    at = end;
  };
  for (const auto& span : rendered.trusted) {
    add(span.begin, false);
    add(span.end, true);
  }
  add(rendered.text.size(), false);
  return pieces;
}

/// The request's template arguments; `documents` among them has a place of its own.
void take_arguments(const Value& arguments, model::RenderInput& input) {
  input.chat_template_kwargs = arguments;
  if (!arguments.find("documents")) return;
  input.chat_template_kwargs = Value(Value::Object{});
  for (const auto& [name, value] : arguments.as_object())
    if (name == "documents") {
      input.documents = value;
    } else {
      input.chat_template_kwargs.set(name, value);
    }
}

/// Renders the messages of chat requests; other requests pass as they are.
class ChatTemplateStage final : public Stage {
 public:
  Result<void> configure(const Params& params) override {
    source_ = {params.get_text("model"), params.get_text("name"), params.get_text("template"),
               params.get_text("template_file")};
    source_date_ = params.get_int("source_date");
    const int given = !source_.name.empty() + !source_.text.empty() + !source_.text_file.empty();
    if (given > 1)
      return fail(ErrorCode::invalid_argument,
                  "name, template and template_file exclude each other: give one of them");
    return {};
  }

  Result<void> start(Resources& resources) override {
    auto loaded = chat_template::load_templates(source_, resources);
    if (!loaded) return fail(loaded.error());
    templates_ = std::move(*loaded);
    return {};
  }

  void stop() noexcept override { templates_ = {}; }

  StageVerdict on_request(Request& request) override {
    if (request.kind != RequestKind::chat) return StageVerdict::pass();
    auto rendered = render(request);
    if (!rendered) return StageVerdict::refuse(rendered.error());
    request.prompt = pieces_of(*rendered);
    request.messages.clear();
    return StageVerdict::pass();
  }

 private:
  Result<model::RenderedPrompt> render(const Request& request) const {
    if (!request.prompt.empty() || !request.prompt_ids.empty())
      return fail(ErrorCode::invalid_argument,
                  "a chat request takes messages, but this one brings a text or ids: send it as a "
                  "completion");
    const bool has_tools = request.tools.is_array() && !request.tools.as_array().empty();
    const auto& chosen = has_tools && templates_.tool_use ? templates_.tool_use : templates_.chat;
    if (!chosen)
      return fail(ErrorCode::unsupported,
                  templates_.missing +
                      " Send the text itself (--raw, or a completion request), or "
                      "give the chat_template stage a template_file");
    auto input = input_of(request);
    if (!input) return fail(input.error());
    return chosen->render(*input);
  }

  Result<model::RenderInput> input_of(const Request& request) const {
    model::RenderInput input;
    input.messages = Value(request.messages);
    input.tools = request.tools;
    input.add_generation_prompt = request.add_generation_prompt;
    take_arguments(request.chat_template_kwargs, input);
    input.now = std::chrono::local_seconds(std::chrono::seconds(source_date_));
    if (source_date_ >= 0) return input;
    const auto now = model::template_clock();
    if (!now) return fail(now.error());
    input.now = *now;
    return input;
  }

  chat_template::TemplateSource source_;
  std::int64_t source_date_ = -1;
  chat_template::LoadedTemplates templates_;
};

constexpr OperatorSpec kSpec = make_operator<ChatTemplateStage, OperatorKind::stage>(
    "chat_template", "renders the messages of chat requests with the model's own chat template",
    "Jinja as Hugging Face's transformers render it", kParams,
    {.stateless = true, .deterministic = true, .threads = ThreadRule::single});

}  // namespace
}  // namespace troupe

TROUPE_PLUGIN(stage, chat_template, ::troupe::kSpec)
