#include "batch_report.h"
#include "command.h"
#include "open_engine.h"
#include "terminal.h"

#include <atomic>
#include <cstdio>
#include <filesystem>

namespace troupe::program {
namespace {

struct BatchOptions {
  std::string input;
  std::string output;
  PipelineOptions pipeline;
};

/// Puts the files into the pipeline's door for them. Errors: invalid_argument (it has none), and
/// those of loading.
Result<LoadedPipeline> load(BatchOptions& options) {
  auto loaded = options.pipeline.load();
  if (!loaded) return loaded;
  for (const auto& op : loaded->spec.operators)
    if (op.kind == OperatorKind::ingress && op.plugin == "jsonl") {
      // As flags, so that `troupe explain` and messages name them like any other value.
      options.pipeline.set.push_back(op.name + ".input=" + options.input);
      options.pipeline.set.push_back(op.name + ".output=" + options.output);
      return options.pipeline.load();
    }
  return fail(
      ErrorCode::invalid_argument,
      loaded->spec.source +
          ": found no door for files; expected an ingress operator with plugin = \"jsonl\"");
}

Result<void> check_input(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return fail(ErrorCode::not_found, path + ": found no such file; expected one request per line");
  if (std::filesystem::is_directory(path, error))
    return fail(ErrorCode::invalid_argument, path + ": found a folder; expected a file (JSONL)");
  return {};
}

Result<void> check_output(const std::string& path) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(path, error).parent_path();
  if (!std::filesystem::is_directory(folder, error))
    return fail(ErrorCode::not_found,
                path + ": found no folder " + folder.string() + "; expected one to write into");
  if (std::filesystem::is_directory(path, error))
    return fail(ErrorCode::invalid_argument, path + ": found a folder; expected a file to write");
  return {};
}

/// Waits until the door has ended, a signal comes or an operator stops for good; true when it has
/// ended.
bool wait(Engine& engine, const std::atomic<bool>& stop) {
  while (!engine.wait_finished(std::chrono::milliseconds(100)))
    if (stop) return false;
  return true;
}

Outcome batch(BatchOptions& options) {
  if (auto input = check_input(options.input); !input) return fail(input.error());
  if (auto output = check_output(options.output); !output) return fail(output.error());
  const auto loaded = load(options);
  if (!loaded) return fail(loaded.error());
  SignalWatch signals(kRunFailed);
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  Engine::Options engine_options;
  const auto report = std::make_shared<BatchReport>();
  engine_options.on_announce = [report](const std::string&, const std::string& line) {
    report->take(line);
  };
  engine_options.on_failure = [stop](const std::string& name, const Error& error) {
    std::fprintf(stderr, "error: operator '%s' stopped for good: %s\n", name.c_str(),
                 error.message().c_str());
    *stop = true;
  };
  auto engine = open_engine(*loaded, std::move(engine_options));
  if (!engine) return fail(engine.error());
  signals.set_action([stop](int count) {
    if (count > 1) end_at_once(kRunFailed);
    *stop = true;
  });
  const bool ended = wait(**engine, *stop);
  auto closed = (*engine)->close(std::chrono::milliseconds(0));
  const bool finished = report->end();
  if (!closed) return fail(closed.error());
  if (!ended)
    return fail(ErrorCode::cancelled,
                "stopped before the end; the same command goes on where it stopped");
  if (const auto failed = report->failed())
    return fail(ErrorCode::internal, counted(failed, "request") + " failed; " + options.output +
                                         " says why, and the same command tries them again");
  return finished ? kDone : kRunFailed;
}

}  // namespace

void add_batch(CommandLine& program) {
  auto options = std::make_shared<BatchOptions>();
  auto& command = program.command("batch",
                                  "answer every request of a file (JSONL) into another file; "
                                  "exit code 1 when some failed");
  command.argument("IN", options->input,
                   "a request per line: plain (id, prompt or messages, parameters) or of OpenAI's "
                   "batches (custom_id, body)",
                   Need::required);
  command.argument("OUT", options->output,
                   "a result per line; what is there already is not done again. A line whose id "
                   "stands in an earlier line gets an error under the id \"ID#line-NUMBER\"",
                   Need::required);
  options->pipeline.pipeline = "batch.toml";
  command.option("--pipeline FILE", options->pipeline.pipeline,
                 "pipeline with a door for files (jsonl)");
  options->pipeline.add_values_to(command);
  options->pipeline.add_engine_values_to(command);
  command.example("troupe batch requests.jsonl results.jsonl --model model.gguf",
                  "run it again after an interruption: it goes on where it stopped");
  command.run([options] { return batch(*options); });
}

}  // namespace troupe::program
