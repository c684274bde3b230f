// What a long prompt does to the answers that are being streamed when it arrives.
#include "bench/benches.h"
#include "bench/load.h"
#include "bench/report.h"
#include "bench/with_engine.h"

#include <atomic>
#include <cstdio>
#include <thread>

namespace troupe::program {
namespace {

struct InterferenceOptions {
  PipelineOptions pipeline;
  std::int64_t clients = 8;
  std::int64_t max_tokens = 192;
  std::int64_t prompt_tokens = 1024;
  std::int64_t prompts = 3;
  bool json = false;
};

/// How long prompts are cut up in a run.
struct Manner {
  std::string name;
  std::vector<std::string> settings;
  bool long_prompts = true;
};

std::vector<Manner> manners(const InterferenceOptions& options) {
  const auto whole = std::to_string(options.prompt_tokens + 1024);
  return {{"no long prompt", {}, false},
          {"whole prompt in one step",
           {"scheduler.prefill_chunk=" + whole, "executor.max_batch_tokens=" + whole,
            "scheduler.adapt_prefill=false"}},
          {"chunks of 128", {"scheduler.prefill_chunk=128", "scheduler.adapt_prefill=false"}},
          {"adapted chunks", {}}};
}

/// Streams `clients` answers to their end; once they are being streamed, sends long prompts one
/// after the other, and takes the time of each.
Result<Value> run(Engine& engine, Prompts& prompts, const InterferenceOptions& options,
                  const Manner& manner) {
  std::atomic<bool> streaming{false};  // or over
  std::atomic<bool> over{false};
  std::vector<double> long_ttft_ms;
  std::optional<Error> failure;
  std::vector<Request> long_requests;
  for (std::int64_t i = 0; i < options.prompts; ++i)
    long_requests.push_back(prompts.request(prompts.tokens(options.prompt_tokens), 1));
  std::thread sender([&] {
    if (!manner.long_prompts) return;
    streaming.wait(false);
    for (auto& request : long_requests) {
      if (over) return;
      const auto sent = Clock::now();
      const auto answer = engine.generate(std::move(request));
      if (!answer || answer->error) {
        failure = answer ? *answer->error : answer.error();
        return;
      }
      long_ttft_ms.push_back(milliseconds(Clock::now() - sent));
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  });
  auto left = options.clients;
  const auto next = [&]() -> std::optional<Request> {
    if (left-- <= 0) return std::nullopt;
    return prompts.request(prompts.tokens(16), options.max_tokens);
  };
  const auto begin = [&] {
    if (!streaming.exchange(true)) streaming.notify_one();
  };
  const auto figures = run_clients(engine, options.clients, next, begin);
  over = true;
  begin();  // if there was no token
  sender.join();
  if (!figures) return fail(figures.error());
  if (failure) return fail(*failure);
  if (manner.long_prompts && long_ttft_ms.empty())
    std::fprintf(stderr,
                 "warning: %s: the answers ended before a long prompt came; --max-tokens makes "
                 "them longer\n",
                 manner.name.c_str());
  Value value;
  value.set("manner", manner.name);
  figures->add_to(value);
  if (!long_ttft_ms.empty()) value.set("long_ttft_p50_ms", quantile(long_ttft_ms, 0.5));
  value.set("long_prompts", static_cast<std::int64_t>(long_ttft_ms.size()));
  return value;
}

Outcome bench(const InterferenceOptions& options) {
  if (auto good = check_numbers({{"--clients", options.clients, 1024},
                                 {"--max-tokens", options.max_tokens},
                                 {"--prompt-tokens", options.prompt_tokens, 64000},
                                 {"--prompts", options.prompts, 1000}});
      !good)
    return fail(good.error());
  Value::Array runs;
  for (const auto& manner : manners(options)) {
    auto measured = with_engine(
        options.pipeline, manner.settings, manner.name,
        [&](Engine& engine, Prompts& prompts) { return run(engine, prompts, options, manner); });
    if (!measured) return fail(measured.error());
    runs.push_back(std::move(*measured));
    runs.back().set("p99_factor", runs.back().find("itl_p99_ms")->as_double() /
                                      runs.front().find("itl_p99_ms")->as_double());
  }
  print_report("interference",
               std::to_string(options.clients) + " answers streamed while prompts of " +
                   std::to_string(options.prompt_tokens) + " tokens arrive; times in milliseconds",
               runs,
               {{"manner", "prefill"},
                {"itl_p50_ms", "ITL p50", 2},
                {"itl_p99_ms", "ITL p99", 2},
                {"p99_factor", "factor", 2},
                {"itl_max_ms", "ITL max", 2},
                {"long_ttft_p50_ms", "TTFT of the long ones"},
                {"long_prompts", "of them", 0}},
               options.json);
  return kDone;
}

}  // namespace

void add_interference(CommandLine& bench_group) {
  auto options = std::make_shared<InterferenceOptions>();
  auto& command = bench_group.command(
      "interference", "what a long prompt does to the answers that are being streamed");
  options->pipeline.add_to(command, "completion.toml");
  command.option("--clients N", options->clients, "answers that are streamed");
  command.option("--max-tokens N", options->max_tokens, "tokens of each of them");
  command.option("--prompt-tokens N", options->prompt_tokens, "tokens of each long prompt");
  command.option("--prompts N", options->prompts, "long prompts, one after the other");
  command.flag("--json", options->json, "print one JSON object");
  options->pipeline.add_engine_values_to(command);
  command.example("troupe bench interference --model model.gguf",
                  "without, and with three ways to cut up the long prompts");
  command.run([options] { return bench(*options); });
}

}  // namespace troupe::program
