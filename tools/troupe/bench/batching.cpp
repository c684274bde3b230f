// What iteration-level batching gains over batches that run to their end: one trace of requests
// whose answers differ much in length, served by both schedulers.
#include "bench/benches.h"
#include "bench/load.h"
#include "bench/report.h"
#include "bench/with_engine.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace troupe::program {
namespace {

struct BatchingOptions {
  PipelineOptions pipeline;
  std::int64_t requests = 64;
  std::int64_t batch = 8;
  std::int64_t prompt_tokens = 32;
  std::int64_t max_tokens = 256;
  float rate = 0;
  bool json = false;
};

/// Lengths of answers as they are met in practice: most are short, a few are very long (log-normal,
/// with a median of a twelfth of the longest).
std::int64_t skewed_length(std::mt19937& random, std::int64_t longest) {
  std::lognormal_distribution<double> length(std::log(static_cast<double>(longest) / 12), 1.0);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(length(random)), 1, longest);
}

std::vector<Arrival> make_trace(Prompts& prompts, const BatchingOptions& options) {
  std::mt19937 random(3);
  std::exponential_distribution<double> gap(options.rate > 0 ? static_cast<double>(options.rate)
                                                             : 1);
  double seconds = 0;
  std::vector<Arrival> trace;
  for (std::int64_t i = 0; i < options.requests; ++i) {
    if (options.rate > 0) seconds += gap(random);
    trace.push_back(
        {std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)),
         prompts.request(prompts.tokens(options.prompt_tokens),
                         skewed_length(random, options.max_tokens))});
  }
  return trace;
}

Result<Value> measure(const BatchingOptions& options, const std::string& scheduler) {
  const std::vector<std::string> settings = {
      "scheduler.plugin=" + scheduler, "scheduler.max_num_seqs=" + std::to_string(options.batch)};
  return with_engine(options.pipeline, settings, scheduler + " batching",
                     [&](Engine& engine, Prompts& prompts) -> Result<Value> {
                       const auto figures = run_arrivals(engine, make_trace(prompts, options));
                       if (!figures) return fail(figures.error());
                       Value run;
                       run.set("scheduler", scheduler);
                       figures->add_to(run);
                       return run;
                     });
}

Outcome bench(const BatchingOptions& options) {
  if (auto good = check_numbers({{"--requests", options.requests},
                                 {"--batch", options.batch, 1024},
                                 {"--prompt-tokens", options.prompt_tokens},
                                 {"--max-tokens", options.max_tokens}});
      !good)
    return fail(good.error());
  if (!(options.rate >= 0 && options.rate <= 1e6f))
    return fail(ErrorCode::invalid_argument, "--rate: expected 0 to 1000000 requests per second");
  Value::Array runs;
  for (const auto* scheduler : {"static", "continuous"}) {
    auto run = measure(options, scheduler);
    if (!run) return fail(run.error());
    runs.push_back(std::move(*run));
  }
  const auto gain =
      runs[1].find("requests_per_s")->as_double() / runs[0].find("requests_per_s")->as_double();
  for (auto& run : runs)
    run.set("gain", run.find("scheduler")->as_string() == "static" ? 1.0 : gain);
  print_report("batching",
               std::to_string(options.requests) + " requests, answers of 1 to " +
                   std::to_string(options.max_tokens) + " tokens (log-normal), at most " +
                   std::to_string(options.batch) + " at once; times in milliseconds",
               runs,
               {{"scheduler", "scheduler"},
                {"requests_per_s", "requests/s", 2},
                {"gain", "gain", 2},
                {"tokens_per_s", "tokens/s"},
                {"ttft_p50_ms", "TTFT p50"},
                {"ttft_p99_ms", "TTFT p99"},
                {"itl_p50_ms", "ITL p50", 2}},
               options.json);
  return kDone;
}

}  // namespace

void add_batching(CommandLine& bench_group) {
  auto options = std::make_shared<BatchingOptions>();
  auto& command = bench_group.command(
      "batching", "continuous against static batching, on answers of very different lengths");
  options->pipeline.add_to(command, "completion.toml");
  command.option("--requests N", options->requests, "requests of the trace");
  command.option("--batch N", options->batch, "requests that run at once, at most");
  command.option("--prompt-tokens N", options->prompt_tokens, "random tokens of each prompt");
  command.option("--max-tokens N", options->max_tokens, "tokens of the longest answer");
  command.option("--rate R", options->rate,
                 "requests that arrive per second, at random; 0 = all at once");
  command.flag("--json", options->json, "print one JSON object");
  options->pipeline.add_engine_values_to(command);
  command.example("troupe bench batching --model model.gguf", "all requests are there at once");
  command.example("troupe bench batching --model model.gguf --rate 4 --json", "four each second");
  command.run([options] { return bench(*options); });
}

}  // namespace troupe::program
