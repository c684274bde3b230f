// What a step of the token loop costs outside the executor: real scheduler, cache, sampler and
// tokenizer as actors, and an executor that computes nothing.
#include "bench/benches.h"
#include "bench/count_list.h"
#include "bench/step_clock.h"
#include "command.h"
#include "open_engine.h"
#include "temporary_file.h"
#include "terminal.h"
#include "troupe/core/json.h"
#include "troupe/engine/engine.h"
#include "troupe/model/tiny_model.h"
#include "troupe/model/vocabulary.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <numeric>

namespace troupe::program {
namespace {

constexpr const char* kPipeline = R"([pipeline]
name = "step_overhead"
api = 1
flow = [
  "client <-> tokenizer <-> scheduler",
  "scheduler <-> kv_cache",
  "scheduler -> executor -> sampler -> scheduler",
]
[operators.client]
kind = "ingress"
plugin = "embed"
[operators.tokenizer]
kind = "tokenizer"
plugin = "bpe"
params = { model = "default" }
[operators.scheduler]
kind = "scheduler"
plugin = "continuous"
[operators.kv_cache]
kind = "kv_cache"
plugin = "paged"
[operators.executor]
kind = "executor"
plugin = "null"
[operators.sampler]
kind = "sampler"
plugin = "gumbel"
[model.default]
)";

/// Steps at the beginning that do not count: memory is still being taken.
constexpr std::size_t kWarmUpSteps = 200;
constexpr std::int64_t kMostSequences = 1024;

struct BenchOptions {
  PipelineOptions pipeline;
  std::string sequences = "1,8,64";
  std::int64_t steps = 5000;
  bool json = false;
};

struct Measured {
  std::int64_t sequences = 0;
  std::vector<double> gaps_us;  // ascending

  double at(double quantile) const {
    return gaps_us[static_cast<std::size_t>(quantile * static_cast<double>(gaps_us.size() - 1))];
  }
  double mean() const {
    return std::accumulate(gaps_us.begin(), gaps_us.end(), 0.0) /
           static_cast<double>(gaps_us.size());
  }
};

/// A token that is plain text, for the executor to give again and again.
TokenId plain_token(const model::Vocabulary& vocabulary) {
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    if (vocabulary.type(id) == model::TokenType::normal && vocabulary.text(id).size() == 3 &&
        std::ranges::all_of(vocabulary.text(id), [](char c) { return c >= 'a' && c <= 'z'; }))
      return id;
  return 0;
}

Result<std::shared_ptr<const model::Vocabulary>> read_vocabulary(const std::string& path) {
  const auto file = model::open_model(path);
  if (!file) return fail(file.error());
  return model::Vocabulary::read(**file);
}

/// Counts ended requests.
class Countdown {
 public:
  explicit Countdown(std::int64_t count) : left_(count) {}
  void take(const TokenEvent& event) {
    if (!event.last) return;
    const std::lock_guard guard(mutex_);
    if (event.error) error_ = event.error;
    if (--left_ == 0) zero_.notify_all();
  }
  Result<void> wait() {
    std::unique_lock lock(mutex_);
    zero_.wait(lock, [this] { return left_ == 0; });
    if (error_) return fail(*error_);
    return {};
  }

 private:
  std::mutex mutex_;
  std::condition_variable zero_;
  std::int64_t left_;
  std::optional<Error> error_;
};

Result<void> generate(Engine& engine, std::int64_t sequences, std::int64_t steps, TokenId token) {
  Countdown countdown(sequences);
  for (std::int64_t i = 0; i < sequences; ++i) {
    Request request;
    request.prompt_ids = {token};
    request.sampling.temperature = 0;
    request.stop.max_tokens = steps;
    request.stop.ignore_eos = true;
    auto id = engine.submit(std::move(request),
                            [&countdown](const TokenEvent& event) { countdown.take(event); });
    if (!id) {
      static_cast<void>(engine.close(std::chrono::milliseconds(0)));
      return fail(id.error());
    }
  }
  return countdown.wait();
}

Result<Measured> measure(const BenchOptions& options, const Catalog& catalog,
                         const model::Vocabulary& vocabulary, std::int64_t sequences) {
  const auto token = plain_token(vocabulary);
  // Sequences that come later start later: all have steps in common.
  const auto steps = options.steps + static_cast<std::int64_t>(kWarmUpSteps) + 2 * sequences;
  auto overrides = options.pipeline.overrides();
  const auto set = [&](const std::string& key, std::int64_t value) {
    overrides.set.insert(overrides.set.begin(), key + "=" + std::to_string(value));
  };
  set("executor.vocab_size", vocabulary.size());
  set("executor.token", token);
  set("executor.kv_blocks", sequences * (steps / kBlockSize + 2));
  set("scheduler.max_num_seqs", sequences);
  const auto spec = pipeline::load_pipeline(
      pipeline::PipelineSource{kPipeline, "bench step-overhead"}, overrides, catalog);
  if (!spec) return fail(spec.error());
  StepClock clock(static_cast<std::size_t>(steps + 2 * sequences + 16));
  const TimedCatalog timed(catalog, clock);
  auto engine = Engine::open(*spec, timed);
  if (!engine) return fail(engine.error());
  if (auto done = generate(**engine, sequences, steps, token); !done) return fail(done.error());
  if (auto closed = (*engine)->close(std::chrono::milliseconds(0)); !closed)
    return fail(closed.error());
  return Measured{sequences, clock.gaps_us(static_cast<std::size_t>(sequences), kWarmUpSteps)};
}

void print_json(const std::vector<Measured>& all, std::int32_t vocab_size) {
  Value::Array runs;
  for (const auto& one : all) {
    Value run;
    run.set("sequences", one.sequences);
    run.set("steps", static_cast<std::int64_t>(one.gaps_us.size()));
    run.set("median_us", one.at(0.5));
    run.set("p99_us", one.at(0.99));
    run.set("mean_us", one.mean());
    runs.push_back(std::move(run));
  }
  Value value;
  value.set("bench", "step-overhead");
  value.set("vocab_size", static_cast<std::int64_t>(vocab_size));
  value.set("runs", std::move(runs));
  std::printf("%s\n", to_json(value).c_str());
}

void print_text(const std::vector<Measured>& all, std::int32_t vocab_size) {
  std::printf("microseconds per step outside the executor (greedy, %d tokens in the vocabulary)\n",
              vocab_size);
  std::printf("%10s %8s %9s %9s %9s\n", "sequences", "steps", "median", "p99", "mean");
  for (const auto& one : all)
    std::printf("%10lld %8zu %9.2f %9.2f %9.2f\n", static_cast<long long>(one.sequences),
                one.gaps_us.size(), one.at(0.5), one.at(0.99), one.mean());
}

/// The model whose tokenizer is used: the caller's, or a tiny one that is written to a file.
Result<std::optional<TemporaryFile>> provide_model(BenchOptions& options) {
  if (!options.pipeline.model.empty()) {
    if (auto file = check_model_file(options.pipeline.model, "--model FILE"); !file)
      return fail(file.error());
    return std::nullopt;
  }
  auto file = TemporaryFile::create("troupe-tiny-");
  if (!file) return fail(file.error());
  if (auto written = model::write_tiny_model(file->path()); !written) return fail(written.error());
  options.pipeline.model = file->path();
  return std::optional<TemporaryFile>(std::move(*file));
}

Outcome bench(BenchOptions& options) {
  const auto counts = parse_counts("--sequences", options.sequences, kMostSequences);
  if (!counts) return fail(counts.error());
  if (options.steps < 1 || options.steps > 1000000)
    return fail(ErrorCode::invalid_argument,
                "--steps: found " + std::to_string(options.steps) + "; expected 1 to 1000000");
  const auto model = provide_model(options);
  if (!model) return fail(model.error());
  const auto vocabulary = read_vocabulary(options.pipeline.model);
  if (!vocabulary) return fail(vocabulary.error());
  const auto registry = options.pipeline.registry();
  std::vector<Measured> all;
  for (const auto count : *counts) {
    ProgressLine progress("measuring " + std::to_string(count) + " sequences");
    auto measured = measure(options, *registry, **vocabulary, count);
    if (!measured) return fail(measured.error());
    all.push_back(std::move(*measured));
  }
  if (options.json)
    print_json(all, (*vocabulary)->size());
  else
    print_text(all, (*vocabulary)->size());
  return kDone;
}

}  // namespace

void add_step_overhead(CommandLine& bench_group) {
  auto options = std::make_shared<BenchOptions>();
  auto& command = bench_group.command(
      "step-overhead",
      "microseconds per step outside the executor: actors, scheduling, sampling, detokenizing");
  command.option("--sequences LIST", options->sequences,
                 "numbers of sequences that run at once, with commas between them");
  command.option("--steps N", options->steps, "steps to measure for each of them");
  command.flag("--json", options->json, "print one JSON object");
  options->pipeline.add_values_to(command);
  command.example("troupe bench step-overhead", "with a tiny vocabulary");
  command.example(
      "troupe bench step-overhead --sequences 1,64 --steps 2000 --model model.gguf --json",
      "with a real one");
  command.run([options] { return bench(*options); });
}

}  // namespace troupe::program
