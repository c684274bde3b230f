// How a pipeline serves: clients that each have one request under way, and another when it has
// ended.
#include "bench/benches.h"
#include "bench/count_list.h"
#include "bench/load.h"
#include "bench/report.h"
#include "bench/with_engine.h"

#include <fstream>

namespace troupe::program {
namespace {

struct ServingOptions {
  PipelineOptions pipeline;
  std::string clients = "1,8";
  std::int64_t requests = 3;
  std::int64_t prompt_tokens = 128;
  std::int64_t max_tokens = 128;
  bool json = false;
};

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

Result<Value> measure(Engine& engine, Prompts& prompts, const ServingOptions& options,
                      std::int64_t clients) {
  auto left = clients * options.requests;
  const auto next = [&]() -> std::optional<Request> {
    if (left-- <= 0) return std::nullopt;
    return prompts.request(prompts.tokens(options.prompt_tokens), options.max_tokens);
  };
  const auto figures = run_clients(engine, clients, next);
  if (!figures) return fail(figures.error());
  Value run;
  run.set("clients", clients);
  figures->add_to(run);
  run.set("peak_rss_mib", peak_rss_mib());
  return run;
}

Outcome bench(const ServingOptions& options) {
  const auto counts = parse_counts("--clients", options.clients, 1024);
  if (!counts) return fail(counts.error());
  if (auto good = check_numbers({{"--requests", options.requests},
                                 {"--prompt-tokens", options.prompt_tokens},
                                 {"--max-tokens", options.max_tokens}});
      !good)
    return fail(good.error());
  auto runs = with_engine(options.pipeline, {}, options.clients + " clients",
                          [&](Engine& engine, Prompts& prompts) -> Result<Value> {
                            Value::Array runs;
                            for (const auto count : *counts) {
                              auto run = measure(engine, prompts, options, count);
                              if (!run) return fail(run.error());
                              runs.push_back(std::move(*run));
                            }
                            return Value(std::move(runs));
                          });
  if (!runs) return fail(runs.error());
  print_report("serving",
               std::to_string(options.prompt_tokens) + " prompt and " +
                   std::to_string(options.max_tokens) + " answer tokens; times in milliseconds",
               runs->as_array(),
               {{"clients", "clients", 0},
                {"tokens_per_s", "tokens/s"},
                {"ttft_p50_ms", "TTFT p50"},
                {"ttft_p99_ms", "TTFT p99"},
                {"itl_p50_ms", "ITL p50", 2},
                {"itl_p99_ms", "ITL p99", 2},
                {"peak_rss_mib", "RSS MiB", 0}},
               options.json);
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
