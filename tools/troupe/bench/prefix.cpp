// What the prefix cache does to the time to the first token: clients whose prompts begin alike.
#include "bench/benches.h"
#include "bench/count_list.h"
#include "bench/load.h"
#include "bench/report.h"
#include "bench/with_engine.h"

namespace troupe::program {
namespace {

struct PrefixOptions {
  PipelineOptions pipeline;
  std::string clients = "1,8,32";
  std::int64_t requests = 2;
  std::int64_t shared_tokens = 512;
  std::int64_t own_tokens = 16;
  std::int64_t max_tokens = 16;
  bool json = false;
};

Result<LoadFigures> run(Engine& engine, Prompts& prompts, const PrefixOptions& options,
                        std::int64_t clients) {
  const auto prefix = prompts.tokens(options.shared_tokens);
  // Whoever asks first computes the prefix for all: that is not measured.
  const auto first = engine.generate(prompts.request(prefix, 1));
  if (!first) return fail(first.error());
  if (first->error) return fail(*first->error);
  auto left = clients * options.requests;
  return run_clients(engine, clients, [&]() -> std::optional<Request> {
    if (left-- <= 0) return std::nullopt;
    auto prompt = prefix;
    const auto own = prompts.tokens(options.own_tokens);
    prompt.insert(prompt.end(), own.begin(), own.end());
    return prompts.request(std::move(prompt), options.max_tokens);
  });
}

double cached_share(const LoadFigures& figures, const PrefixOptions& options) {
  std::int64_t cached = 0;
  for (const auto& request : figures.requests)
    cached += request.cached_tokens;
  return static_cast<double>(cached) / static_cast<double>(options.shared_tokens) /
         static_cast<double>(figures.requests.size());
}

/// One array of runs, one per number of clients.
Result<Value> measure(const PrefixOptions& options, const std::vector<std::int64_t>& counts,
                      bool cache) {
  const std::string setting = cache ? "true" : "false";
  return with_engine(options.pipeline, {"kv_cache.prefix_cache=" + setting},
                     cache ? "with the prefix cache" : "without the prefix cache",
                     [&](Engine& engine, Prompts& prompts) -> Result<Value> {
                       Value::Array runs;
                       for (const auto clients : counts) {
                         const auto figures = run(engine, prompts, options, clients);
                         if (!figures) return fail(figures.error());
                         Value run;
                         run.set("clients", clients);
                         run.set("prefix_cache", std::string(cache ? "on" : "off"));
                         run.set("cached_share", cached_share(*figures, options));
                         figures->add_to(run);
                         runs.push_back(std::move(run));
                       }
                       return Value(std::move(runs));
                     });
}

Outcome bench(const PrefixOptions& options) {
  const auto counts = parse_counts("--clients", options.clients, 1024);
  if (!counts) return fail(counts.error());
  if (auto good = check_numbers({{"--requests", options.requests},
                                 {"--shared-tokens", options.shared_tokens},
                                 {"--own-tokens", options.own_tokens},
                                 {"--max-tokens", options.max_tokens}});
      !good)
    return fail(good.error());
  const auto off = measure(options, *counts, false);
  if (!off) return fail(off.error());
  const auto on = measure(options, *counts, true);
  if (!on) return fail(on.error());
  Value::Array runs;
  for (std::size_t i = 0; i < counts->size(); ++i) {
    auto without = off->as_array()[i];
    auto with = on->as_array()[i];
    without.set("speedup", 1.0);
    with.set("speedup",
             without.find("ttft_p50_ms")->as_double() / with.find("ttft_p50_ms")->as_double());
    runs.push_back(std::move(without));
    runs.push_back(std::move(with));
  }
  print_report("prefix",
               std::to_string(options.shared_tokens) + " shared and " +
                   std::to_string(options.own_tokens) +
                   " own tokens in each prompt; times in milliseconds",
               runs,
               {{"clients", "clients", 0},
                {"prefix_cache", "prefix cache"},
                {"cached_share", "cached", 2},
                {"ttft_p50_ms", "TTFT p50"},
                {"speedup", "speed-up"},
                {"ttft_p99_ms", "TTFT p99"},
                {"requests_per_s", "requests/s", 2}},
               options.json);
  return kDone;
}

}  // namespace

void add_prefix(CommandLine& bench_group) {
  auto options = std::make_shared<PrefixOptions>();
  auto& command = bench_group.command(
      "prefix",
      "what the prefix cache does to the time to first token of prompts that begin alike");
  options->pipeline.add_to(command, "completion.toml");
  command.option("--clients LIST", options->clients,
                 "numbers of clients, with commas between them; each has one request under way");
  command.option("--requests N", options->requests, "requests of each client");
  command.option("--shared-tokens N", options->shared_tokens, "tokens that all prompts begin with");
  command.option("--own-tokens N", options->own_tokens, "tokens of each prompt after those");
  command.option("--max-tokens N", options->max_tokens, "tokens of each answer");
  command.flag("--json", options->json, "print one JSON object");
  options->pipeline.add_engine_values_to(command);
  command.example("troupe bench prefix --model model.gguf", "with 1, 8 and 32 clients");
  command.example("troupe bench prefix --model model.gguf --shared-tokens 1024 --clients 4 --json",
                  "a longer system prompt");
  command.run([options] { return bench(*options); });
}

}  // namespace troupe::program
