#include "command.h"
#include "hard_stop.h"
#include "metrics_file.h"
#include "open_engine.h"
#include "terminal.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>

namespace troupe::program {
namespace {

constexpr std::int64_t kMostDrainS = 86400;
constexpr std::int64_t kMostMetricsS = 86400;
/// From the end of the limit: for clients to be told, and for operators to stop.
constexpr std::chrono::seconds kAfterLimit{2};

struct ServeOptions {
  PipelineOptions pipeline;
  std::int64_t drain_s = 30;
  std::string metrics_file;
  std::int64_t metrics_s = 5;
};

/// What ends a server: a signal, or an operator that stopped for good.
struct Ending {
  std::mutex mutex;
  std::condition_variable changed;
  bool asked = false;
  bool failed = false;

  void set(bool failure) {
    const std::lock_guard guard(mutex);
    asked = true;
    failed = failed || failure;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return asked; });
  }
  /// False when `limit` ran out first.
  bool wait_for(std::chrono::seconds limit) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, limit, [this] { return asked; });
  }
};

void print_line(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

Engine::Options engine_options(const std::shared_ptr<Ending>& ending) {
  Engine::Options options;
  options.on_announce = [](const std::string& door, const std::string& line) {
    print_line(door + ": " + line);
  };
  options.on_failure = [ending](const std::string& name, const Error& error) {
    std::fprintf(stderr, "error: operator '%s' stopped for good: %s\n", name.c_str(),
                 error.message().c_str());
    ending->set(true);
  };
  return options;
}

/// Whether other processes can reach the pipeline. Errors: invalid_argument.
Result<void> check_doors(const pipeline::PipelineSpec& spec) {
  const auto listens = [](const auto& op) {
    return op.kind == OperatorKind::ingress && op.plugin != "embed";
  };
  if (std::ranges::any_of(spec.operators, listens)) return {};
  return fail(ErrorCode::invalid_argument,
              spec.source +
                  ": found no door that listens: its ingress operators are for the hosting program "
                  "alone (embed); expected one more, such as plugin = \"zmq\". The pipelines "
                  "'serve' and 'two_models' have one");
}

/// Waits for the end. Meanwhile writes the metrics, if there is a file for them; one that cannot be
/// written is told of once and stops nothing.
void wait_for_end(Engine& engine, const ServeOptions& options, Ending& ending) {
  if (options.metrics_file.empty()) return ending.wait();
  bool told = false;
  do {
    const auto written = write_metrics(options.metrics_file, engine.stats());
    if (!written && !told) std::fprintf(stderr, "warning: %s\n", written.error().message().c_str());
    told = !written;
  } while (!ending.wait_for(std::chrono::seconds(options.metrics_s)));
}

/// Lets running requests end, and stops the engine.
void drain(Engine& engine, std::int64_t limit_s, HardStop& hard_stop) {
  engine.refuse_new();
  const std::chrono::seconds limit(limit_s);
  if (const auto running = engine.in_flight(); running > 0)
    std::fprintf(stderr, "shutting down: at most %lld s for %s to end\n",
                 static_cast<long long>(limit_s), counted(running, "request").c_str());
  hard_stop.set(limit + kAfterLimit);
  const auto closed = engine.close(limit);
  if (closed) return;
  // The operator's code still runs, and may use anything that returning from here would free.
  std::fprintf(stderr, "error: %s\n", closed.error().message().c_str());
  end_at_once(kRunFailed);
}

Outcome serve(const ServeOptions& options) {
  if (options.drain_s < 0 || options.drain_s > kMostDrainS)
    return fail(ErrorCode::invalid_argument, "--drain-s: found " + std::to_string(options.drain_s) +
                                                 "; expected 0 to " + std::to_string(kMostDrainS));
  if (options.metrics_s < 1 || options.metrics_s > kMostMetricsS)
    return fail(ErrorCode::invalid_argument,
                "--metrics-s: found " + std::to_string(options.metrics_s) + "; expected 1 to " +
                    std::to_string(kMostMetricsS));
  const auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  if (auto doors = check_doors(loaded->spec); !doors) return fail(doors.error());
  SignalWatch signals(kDone);
  const auto ending = std::make_shared<Ending>();
  auto engine = open_engine(*loaded, engine_options(ending));
  if (!engine) return fail(engine.error());
  HardStop hard_stop;
  signals.set_action([&](int count) {
    if (count > 2) end_at_once(kRunFailed);
    if (count == 2) {
      hard_stop.set(kAfterLimit);
      (*engine)->end_drain();
    }
    ending->set(false);
  });
  print_line("ready");
  wait_for_end(**engine, options, *ending);
  drain(**engine, options.drain_s, hard_stop);
  const int code = ending->failed ? kRunFailed : kDone;
  signals.set_action([code](int) { end_at_once(code); });
  return code;
}

}  // namespace

void add_serve(CommandLine& program) {
  auto options = std::make_shared<ServeOptions>();
  auto& command = program.command("serve", "open a pipeline's doors and stay");
  options->pipeline.add_to(command, "");
  options->pipeline.add_engine_values_to(command);
  command.option("--drain-s S", options->drain_s,
                 "seconds that running requests may take to end after SIGINT or SIGTERM");
  command.option("--metrics-file FILE", options->metrics_file,
                 "write what the operators count to FILE, in Prometheus' text format");
  command.option("--metrics-s S", options->metrics_s, "seconds from one writing to the next");
  command.example(
      "troupe serve serve --model model.gguf",
      "prints where it listens, then \"ready\"; Ctrl-C drains, twice cancels what runs");
  command.example("troupe serve my.toml --config laptop.toml --drain-s 5",
                  "a pipeline of your own");
  command.example("troupe serve serve --model model.gguf --metrics-file troupe.prom",
                  "blocks, queues, hits, preemptions and more, every 5 s");
  command.run([options] { return serve(*options); });
}

}  // namespace troupe::program
