#include "command.h"
#include "open_engine.h"
#include "request_options.h"
#include "terminal.h"
#include "troupe/core/json.h"
#include "troupe/pipeline/print_spec.h"

#include <algorithm>
#include <cstdio>

namespace troupe::program {
namespace {

struct RunOptions {
  PipelineOptions pipeline;
  RequestOptions request;
  std::optional<std::string> prompt;
  bool raw = false;
  bool json = false;
  bool dry = false;
};

/// Whether a stage of the pipeline makes prompts of chat messages.
bool takes_messages(const pipeline::PipelineSpec& spec) {
  return std::ranges::any_of(spec.operators, [](const auto& op) {
    return op.kind == OperatorKind::stage && op.plugin == "chat_template";
  });
}

Result<Request> make_request(const RunOptions& options, bool chat, std::string prompt) {
  Request request;
  if (!chat) {
    request.kind = RequestKind::completion;
    // Whoever types a raw prompt writes the control tokens too.
    request.prompt = {{std::move(prompt), true}};
  } else {
    request.kind = RequestKind::chat;
    Value message;
    message.set("role", "user");
    message.set("content", std::move(prompt));
    request.messages.push_back(std::move(message));
  }
  if (auto valid = options.request.apply(request); !valid) return fail(valid.error());
  if (!options.json)
    if (auto one = check_one_choice(request); !one) return fail(one.error());
  return request;
}

/// The resolved configuration and graph, with nothing loaded.
int print_dry(const pipeline::PipelineSpec& spec, bool json) {
  const auto text = json ? to_json(pipeline::print_value(spec)) + "\n" : pipeline::print_toml(spec);
  std::fputs(text.c_str(), stdout);
  return kDone;
}

Outcome print_end(const Answer& answer, bool json) {
  const bool cancelled =
      !answer.choices.empty() && answer.choices.front().finish == FinishReason::cancelled;
  const int code = cancelled ? kRunFailed : kDone;
  if (json) {
    std::printf("%s\n", to_json(to_value(answer)).c_str());
    return answer.error ? exit_code_of(*answer.error) : code;
  }
  if (!answer.choices.empty() && !answer.choices.front().text.empty()) std::printf("\n");
  if (answer.error) return fail(*answer.error);
  return code;
}

Outcome run(const RunOptions& options) {
  auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  if (options.dry) return print_dry(loaded->spec, options.json);
  if (auto files = check_model_files(loaded->spec); !files) return fail(files.error());
  if (auto name = options.request.check_model_name(loaded->spec); !name) return fail(name.error());
  auto prompt = options.prompt ? Result<std::string>(*options.prompt) : read_input("the prompt");
  if (!prompt) return fail(prompt.error());
  if (prompt->empty())
    return fail(ErrorCode::invalid_argument,
                "found no prompt; expected --prompt TEXT, or text on standard input");
  const bool chat = !options.raw && takes_messages(loaded->spec);
  auto request = make_request(options, chat, std::move(*prompt));
  if (!request) return fail(request.error());

  SignalWatch signals(kRunFailed);
  auto engine = open_engine(*loaded);
  if (!engine) return fail(engine.error());
  const auto on_text = [&](std::string_view text) { return options.json || print_now(text); };
  auto answer = stream_answer(**engine, std::move(*request), signals, on_text);
  static_cast<void>((*engine)->close(std::chrono::milliseconds(0)));
  if (!answer) return fail(answer.error());
  return print_end(*answer, options.json);
}

}  // namespace

void add_run(CommandLine& program) {
  auto options = std::make_shared<RunOptions>();
  auto& command = program.command("run", "answer one request and end");
  options->pipeline.add_to(command, "chat.toml");
  options->pipeline.add_engine_values_to(command);
  command.option("--prompt TEXT", options->prompt,
                 "the prompt; without it, standard input to its end");
  options->request.add_to(command);
  command.flag("--raw", options->raw,
               "give the prompt to the model as it is, without the chat template; pipelines "
               "without one always do");
  command.flag("--json", options->json,
               "print one JSON object: text, token_ids, finish_reason, usage, timings");
  command.flag("--dry", options->dry,
               "print the resolved configuration and graph, and load nothing");
  command.example("troupe run --model model.gguf --prompt \"Why is the sky blue?\"",
                  "answer a question");
  command.example("troupe run --model model.gguf --raw --temperature 0 --max-tokens 64 < story.txt",
                  "continue a text, always with the most probable token");
  command.example("troupe run completion --model model.gguf --json --seed 7 --prompt \"Once\"",
                  "another pipeline, and everything there is to know as JSON");
  command.example(
      "troupe run completion --model model.gguf --json --prompt \"Once\" "
      "--fields '{\"n\": 3, \"xtc_probability\": 0.5, \"logprobs\": 2}'",
      "further fields of the request");
  command.example("troupe run --dry --set scheduler.max_batch_tokens=1024",
                  "what would run, with every value");
  command.run([options] { return run(*options); });
}

}  // namespace troupe::program
