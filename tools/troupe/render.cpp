#include "command.h"
#include "open_engine.h"
#include "terminal.h"
#include "token_text.h"
#include "troupe/core/json.h"
#include "troupe/core/request_json.h"
#include "troupe/engine/single_operators.h"

#include <cstdio>

namespace troupe::program {
namespace {

struct RenderOptions {
  PipelineOptions pipeline;
  bool json = false;
};

/// What the stages before the tokenizer make of a request.
Result<Request> pass_stages(SingleOperators& operators, Request request) {
  const auto stages = operators.stages();
  if (!stages) return fail(stages.error());
  for (auto* stage : *stages) {
    const auto verdict = stage->on_request(request);
    if (verdict.action == StageVerdict::Action::refuse) return fail(*verdict.error);
    if (verdict.action == StageVerdict::Action::reply)
      return fail(ErrorCode::invalid_argument,
                  "a stage answers this request itself: " + verdict.text);
  }
  if (request.prompt.empty() && request.prompt_ids.empty())
    return fail(ErrorCode::invalid_argument,
                "no stage of this pipeline turns messages into a prompt; expected one, such as "
                "chat_template");
  return request;
}

Result<Request> read_request() {
  const auto text = read_input("a JSON object with \"messages\"");
  if (!text) return fail(text.error());
  const auto json = parse_json(*text);
  if (!json) return fail_at("standard input", json.error());
  auto request = parse_render_request(*json);
  if (!request) return fail_at("standard input", request.error());
  request->context = std::make_shared<RequestContext>();
  return request;
}

Outcome render(const RenderOptions& options) {
  const auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  if (auto files = check_model_files(loaded->spec); !files) return fail(files.error());
  SingleOperators operators(loaded->spec, *loaded->registry);
  const auto tokenizer = operators.tokenizer();
  if (!tokenizer) return fail(tokenizer.error());
  auto request = read_request();
  if (request) request = pass_stages(operators, std::move(*request));
  if (!request) return fail(request.error());

  auto ids = request->prompt_ids;
  if (ids.empty()) {
    auto encoded = (*tokenizer)->encode(request->prompt, {});
    if (!encoded) return fail(encoded.error());
    ids = std::move(*encoded);
  }
  std::string text;
  for (const auto& piece : request->prompt)
    text += piece.text;
  if (options.json) {
    Value value;
    value.set("text", std::move(text));
    value.set("ids", ids_to_value(ids));
    std::printf("%s\n", to_json(value).c_str());
    return kDone;
  }
  // Byte for byte the prompt: a line break of our own would be taken for the template's.
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (output_is_terminal()) std::printf("\n");
  return kDone;
}

}  // namespace

void add_render(CommandLine& program) {
  auto options = std::make_shared<RenderOptions>();
  auto& command = program.command(
      "render", "show the prompt that chat messages (JSON, on standard input) become");
  options->pipeline.add_to(command, "chat.toml");
  command.flag("--json", options->json, "print {\"text\": \"...\", \"ids\": [...]}");
  command.example(
      "troupe render --model model.gguf <<< "
      "'{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}'",
      "the text the model sees; also read: tools, add_generation_prompt, chat_template_kwargs");
  command.example("troupe render --model model.gguf --json < request.json",
                  "the text and its token ids");
  command.run([options] { return render(*options); });
}

}  // namespace troupe::program
