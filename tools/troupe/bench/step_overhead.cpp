// What a step of the token loop costs outside the executor: real scheduler, cache, sampler and
// tokenizer as actors, and an executor that computes nothing.
#include "bench/benches.h"
#include "bench/count_list.h"
#include "bench/figures.h"
#include "bench/report.h"
#include "bench/step_clock.h"
#include "bench/timed_operators.h"
#include "bench/with_engine.h"
#include "command.h"
#include "open_engine.h"
#include "temporary_file.h"
#include "terminal.h"
#include "troupe/engine/engine.h"
#include "troupe/model/tiny_model.h"
#include "troupe/model/vocabulary.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <numeric>
#include <tuple>

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
  std::string sequences = "1,64,512";
  std::int64_t steps = 5000;
  bool json = false;
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

/// Runs `sequences` sequences for options.steps steps and lets `clock` see them.
Result<void> run(const BenchOptions& options, const Catalog& catalog,
                 const model::Vocabulary& vocabulary, std::int64_t sequences, bool executor_only,
                 const std::function<void(const StepClock&)>& read) {
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
  StepClock clock(static_cast<std::size_t>(steps + 2 * sequences + 16) *
                  (executor_only ? 1 : kNumStepParts));
  const TimedCatalog timed(catalog, clock, executor_only);
  auto engine = Engine::open(*spec, timed);
  if (!engine) return fail(engine.error());
  if (auto done = generate(**engine, sequences, steps, token); !done) return fail(done.error());
  if (auto closed = (*engine)->close(std::chrono::milliseconds(0)); !closed)
    return fail(closed.error());
  read(clock);
  return {};
}

void set_gaps(Value& run, const std::vector<double>& gaps) {
  run.set("steps", static_cast<std::int64_t>(gaps.size()));
  run.set("median_us", quantile(gaps, 0.5));
  run.set("p99_us", quantile(gaps, 0.99));
  run.set("mean_us", gaps.empty() ? 0
                                  : std::accumulate(gaps.begin(), gaps.end(), 0.0) /
                                        static_cast<double>(gaps.size()));
}

void set_shares(Value& run, const StepClock::Shares& shares) {
  for (const auto& [part, name, hop] :
       {std::tuple{StepPart::sample, "sampler_us", "executor_to_sampler_us"},
        {StepPart::complete, "complete_us", "sampler_to_scheduler_us"},
        {StepPart::want, "want_us", "events_us"},
        {StepPart::reserve, "kv_cache_us", "scheduler_to_kv_cache_us"},
        {StepPart::plan, "plan_us", "kv_cache_to_scheduler_us"}}) {
    run.set(hop, shares.hop_us[static_cast<std::size_t>(part)]);
    run.set(name, shares.part_us[static_cast<std::size_t>(part)]);
  }
  run.set("scheduler_to_executor_us", shares.hop_us[static_cast<std::size_t>(StepPart::execute)]);
}

/// The gaps are measured by themselves; a second run, in which every operator looks at the clock,
/// tells what they are made of.
Result<Value> measure(const BenchOptions& options, const Catalog& catalog,
                      const model::Vocabulary& vocabulary, std::int64_t sequences) {
  Value value;
  value.set("sequences", sequences);
  const auto count = static_cast<std::size_t>(sequences);
  auto done = run(options, catalog, vocabulary, sequences, true, [&](const StepClock& clock) {
    set_gaps(value, clock.gaps_us(count, kWarmUpSteps));
  });
  if (!done) return fail(done.error());
  done = run(options, catalog, vocabulary, sequences, false,
             [&](const StepClock& clock) { set_shares(value, clock.shares(count, kWarmUpSteps)); });
  if (!done) return fail(done.error());
  return value;
}

void print(const Value::Array& runs, std::int32_t vocab_size, bool json) {
  print_report("step-overhead",
               "microseconds per step outside the executor (greedy, " + std::to_string(vocab_size) +
                   " tokens in the vocabulary)",
               runs,
               {{"sequences", "sequences", 0},
                {"steps", "steps", 0},
                {"median_us", "median", 2},
                {"p99_us", "p99", 2},
                {"mean_us", "mean", 2}},
               json);
  if (json) return;
  print_report("step-overhead", "\nwhat it is made of: work and (hop before it), medians", runs,
               {{"sequences", "sequences", 0},
                {"executor_to_sampler_us", "(hop)", 2},
                {"sampler_us", "sampler", 2},
                {"sampler_to_scheduler_us", "(hop)", 2},
                {"complete_us", "complete", 2},
                {"events_us", "(events)", 2},
                {"want_us", "want", 2},
                {"scheduler_to_kv_cache_us", "(hop)", 2},
                {"kv_cache_us", "kv_cache", 2},
                {"kv_cache_to_scheduler_us", "(hop)", 2},
                {"plan_us", "plan", 2},
                {"scheduler_to_executor_us", "(hop)", 2}},
               false);
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
  if (auto good = check_numbers({{"--steps", options.steps, 1000000}}); !good)
    return fail(good.error());
  const auto model = provide_model(options);
  if (!model) return fail(model.error());
  const auto vocabulary = read_vocabulary(options.pipeline.model);
  if (!vocabulary) return fail(vocabulary.error());
  const auto registry = options.pipeline.registry();
  Value::Array runs;
  for (const auto count : *counts) {
    ProgressLine progress("measuring " + std::to_string(count) + " sequences");
    auto measured = measure(options, *registry, **vocabulary, count);
    if (!measured) return fail(measured.error());
    runs.push_back(std::move(*measured));
  }
  print(runs, (*vocabulary)->size(), options.json);
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
