// How a pipeline serves: clients that each have one request under way, and another when it has
// ended.
#include "bench/benches.h"
#include "bench/count_list.h"
#include "command.h"
#include "open_engine.h"
#include "terminal.h"
#include "troupe/core/json.h"
#include "troupe/engine/engine.h"
#include "troupe/model/model_file.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <random>

namespace troupe::program {
namespace {

using Clock = std::chrono::steady_clock;

struct ServingOptions {
  PipelineOptions pipeline;
  std::string clients = "1,8";
  std::int64_t requests = 3;
  std::int64_t prompt_tokens = 128;
  std::int64_t max_tokens = 128;
  bool json = false;
};

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// Most memory the process has had, in MiB.
double peak_rss_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
  return 0;
}

struct Measured {
  std::int64_t clients = 0;
  double seconds = 0;
  std::int64_t tokens = 0;
  std::vector<double> ttft_ms;
  std::vector<double> itl_ms;

  static double quantile(std::vector<double>& values, double q) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::size_t>(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at),
                     values.end());
    return values[at];
  }
};

/// Keeps `clients` requests under way until all have ended, and takes their times.
class Load {
 public:
  Load(Engine& engine, const ServingOptions& options, std::int64_t clients, TokenId vocab_size)
      : engine_(engine),
        options_(options),
        vocab_size_(vocab_size),
        left_(clients * options.requests) {
    measured_.clients = clients;
  }

  Result<Measured> run() {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < measured_.clients; ++i)
      submit();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return under_way_ == 0 && (left_ == 0 || error_); });
    if (error_) return fail(*error_);
    measured_.seconds = milliseconds(Clock::now() - begin) / 1000;
    return std::move(measured_);
  }

 private:
  struct Timeline {
    Clock::time_point sent, last;
  };

  Request next_request() {
    Request request;
    std::uniform_int_distribution<TokenId> token(vocab_size_ / 2, vocab_size_ - 1);
    for (std::int64_t i = 0; i < options_.prompt_tokens; ++i)
      request.prompt_ids.push_back(token(random_));
    request.sampling.temperature = 0;
    request.stop.max_tokens = options_.max_tokens;
    request.stop.ignore_eos = true;
    request.stream = true;
    return request;
  }

  void submit() {
    Request request;
    {
      const std::lock_guard guard(mutex_);
      if (left_ == 0 || error_) return;
      --left_;
      ++under_way_;
      request = next_request();
    }
    auto times = std::make_shared<Timeline>();
    times->sent = times->last = Clock::now();
    auto id = engine_.submit(std::move(request),
                             [this, times](const TokenEvent& event) { on_event(*times, event); });
    if (!id) end(id.error());
  }

  void on_event(Timeline& times, const TokenEvent& event) {
    const auto now = Clock::now();
    if (!event.token_ids.empty()) {
      const std::lock_guard guard(mutex_);
      const bool first = times.last == times.sent;
      (first ? measured_.ttft_ms : measured_.itl_ms).push_back(milliseconds(now - times.last));
      measured_.tokens += static_cast<std::int64_t>(event.token_ids.size());
      times.last = now;
    }
    if (event.last) end(event.error);
  }

  void end(const std::optional<Error>& error) {
    {
      const std::lock_guard guard(mutex_);
      --under_way_;
      if (error && !error_) error_ = error;
    }
    submit();
    changed_.notify_one();
  }

  Engine& engine_;
  const ServingOptions& options_;
  const TokenId vocab_size_;  // the upper half of it is ordinary text in every tokenizer
  std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937 random_{1};
  std::int64_t left_;
  std::int64_t under_way_ = 0;
  std::optional<Error> error_;
  Measured measured_;
};

Value to_value(Measured& measured) {
  Value run;
  run.set("clients", measured.clients);
  run.set("tokens_per_s", static_cast<double>(measured.tokens) / measured.seconds);
  run.set("ttft_p50_ms", Measured::quantile(measured.ttft_ms, 0.5));
  run.set("ttft_p99_ms", Measured::quantile(measured.ttft_ms, 0.99));
  run.set("itl_p50_ms", Measured::quantile(measured.itl_ms, 0.5));
  run.set("itl_p99_ms", Measured::quantile(measured.itl_ms, 0.99));
  run.set("peak_rss_mib", peak_rss_mib());
  return run;
}

void print_text(const Value::Array& runs) {
  std::printf("%8s %10s %10s %10s %9s %9s %9s\n", "clients", "tokens/s", "TTFT p50", "TTFT p99",
              "ITL p50", "ITL p99", "RSS MiB");
  for (const auto& run : runs) {
    const auto number = [&](std::string_view key) { return run.find(key)->as_double(); };
    std::printf("%8.0f %10.1f %10.1f %10.1f %9.2f %9.2f %9.0f\n", number("clients"),
                number("tokens_per_s"), number("ttft_p50_ms"), number("ttft_p99_ms"),
                number("itl_p50_ms"), number("itl_p99_ms"), number("peak_rss_mib"));
  }
}

Result<TokenId> read_vocab_size(const pipeline::PipelineSpec& spec) {
  if (auto there = check_model_files(spec); !there) return fail(there.error());
  if (spec.models.empty()) return fail(ErrorCode::invalid_argument, "the pipeline has no model");
  const auto file = model::open_model(spec.models.front().params.get_text("path"));
  if (!file) return fail(file.error());
  const auto tokens = (*file)->find_strings("tokenizer.ggml.tokens");
  if (!tokens) return fail(tokens.error());
  if (tokens->size() < 2) return fail(ErrorCode::invalid_argument, "the model has no tokenizer");
  return static_cast<TokenId>(tokens->size());
}

Outcome bench(const ServingOptions& options) {
  const auto counts = parse_counts("--clients", options.clients, 1024);
  if (!counts) return fail(counts.error());
  for (const auto& [name, value] : {std::pair{"--requests", options.requests},
                                    {"--prompt-tokens", options.prompt_tokens},
                                    {"--max-tokens", options.max_tokens}})
    if (value < 1 || value > 100000)
      return fail(
          ErrorCode::invalid_argument,
          std::string(name) + ": found " + std::to_string(value) + "; expected 1 to 100000");
  auto loaded = options.pipeline.load();
  if (!loaded) return fail(loaded.error());
  const auto vocab_size = read_vocab_size(loaded->spec);
  if (!vocab_size) return fail(vocab_size.error());
  auto engine = open_engine(*loaded);
  if (!engine) return fail(engine.error());
  // The first request finds cold caches; it does not count.
  auto warm_up = options;
  warm_up.requests = 1;
  if (auto done = Load(**engine, warm_up, 1, *vocab_size).run(); !done) return fail(done.error());
  Value::Array runs;
  for (const auto count : *counts) {
    ProgressLine progress("measuring " + std::to_string(count) + " clients");
    auto measured = Load(**engine, options, count, *vocab_size).run();
    if (!measured) return fail(measured.error());
    runs.push_back(to_value(*measured));
  }
  if (auto closed = (*engine)->close(std::chrono::milliseconds(0)); !closed)
    return fail(closed.error());
  if (!options.json) {
    print_text(runs);
    return kDone;
  }
  Value value;
  value.set("bench", "serving");
  value.set("runs", std::move(runs));
  std::printf("%s\n", to_json(value).c_str());
  return kDone;
}

}  // namespace

void add_serving(CommandLine& bench_group) {
  auto options = std::make_shared<ServingOptions>();
  auto& command =
      bench_group.command("serving", "tokens per second, time to first token and between tokens");
  options->pipeline.add_to(command, "completion.toml");
  command.option("--clients LIST", options->clients,
                 "numbers of clients, with commas between them; each has one request under way");
  command.option("--requests N", options->requests, "requests of each client");
  command.option("--prompt-tokens N", options->prompt_tokens, "random tokens of each prompt");
  command.option("--max-tokens N", options->max_tokens, "tokens of each answer");
  command.flag("--json", options->json, "print one JSON object");
  options->pipeline.add_engine_values_to(command);
  command.example("troupe bench serving --model model.gguf", "with 1 and 8 clients");
  command.example("troupe bench serving --model model.gguf --clients 16 --prompt-tokens 512 --json",
                  "long prompts, and the figures as JSON");
  command.run([options] { return bench(*options); });
}

}  // namespace troupe::program
