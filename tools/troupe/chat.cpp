#include "chat_session.h"
#include "command.h"
#include "line_editor.h"
#include "open_engine.h"
#include "terminal.h"

#include <cstdio>

namespace troupe::program {
namespace {

struct ChatOptions {
  PipelineOptions pipeline;
  RequestOptions request;
  std::string system;
};

Outcome chat(const ChatOptions& options) {
  const auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  Request probe;
  probe.kind = RequestKind::chat;
  if (auto valid = options.request.apply(probe); !valid) return fail(valid.error());
  if (auto one = check_one_choice(probe); !one) return fail(one.error());
  if (auto name = options.request.check_model_name(loaded->spec); !name) return fail(name.error());
  SignalWatch signals(kDone);
  auto engine = open_engine(*loaded);
  if (!engine) return fail(engine.error());
  if (input_is_terminal())
    std::fprintf(stderr, "%s\n", dimmed("/help lists the commands; Ctrl-D leaves").c_str());
  const auto lines = LineEditor::open("> ");
  ChatSession session(**engine, signals, options.request, options.system);
  bool failed = false;
  while (const auto line = lines->next()) {
    if (!session.take(*line)) break;
    failed = failed || !session.answered();
  }
  if (input_is_terminal()) std::fprintf(stderr, "\n");
  static_cast<void>((*engine)->close(std::chrono::milliseconds(0)));
  // Nobody saw the message of a chat that was fed from a file.
  return failed && !input_is_terminal() ? kRunFailed : kDone;
}

}  // namespace

void add_chat(CommandLine& program) {
  auto options = std::make_shared<ChatOptions>();
  auto& command = program.command("chat", "talk with a model; it remembers what was said");
  options->pipeline.add_to(command, "chat.toml");
  options->pipeline.add_engine_values_to(command);
  options->request.add_to(command);
  command.option("--system TEXT", options->system,
                 "what the model is told before the first message");
  command.example("troupe chat --model model.gguf", "Ctrl-C stops an answer, Ctrl-D leaves");
  command.example("troupe chat --model model.gguf --system \"Answer in one word.\" < questions.txt",
                  "a message per line");
  command.run([options] { return chat(*options); });
}

}  // namespace troupe::program
