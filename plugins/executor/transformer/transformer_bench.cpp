// Load time, decode and prefill speed of a model file: transformer_bench FILE [threads]
// [activations] [kv]
#include "plugins/executor/transformer/test_executor.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace troupe;
using namespace troupe::transformer::testing;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs `steps` steps; prints the best and the median of tokens/s.
template <class MakePlan>
void measure(Executor& executor, const char* name, int steps, const MakePlan& make_plan) {
  std::vector<double> rates;
  StepResult result;
  for (int step = 0; step < steps; ++step) {
    StepPlan plan = make_plan(step);
    const auto start = std::chrono::steady_clock::now();
    result = submit(executor, plan);
    rates.push_back(static_cast<double>(plan.token_ids.size()) / seconds_since(start));
    if (result.error) std::printf("%s\n", result.error->message().c_str());
  }
  std::sort(rates.begin(), rates.end());
  std::printf(
      "%-28s median %8.1f  best %8.1f tokens/s   last step: %.0f us, matmul %.0f, attention %.0f\n",
      name, rates[rates.size() / 2], rates.back(), result.timings.total_us,
      result.timings.matmul_us, result.timings.attention_us);
}

StepPlan prefill(int tokens) {
  StepPlan plan;
  std::vector<TokenId> ids(static_cast<std::size_t>(tokens));
  for (int i = 0; i < tokens; ++i)
    ids[static_cast<std::size_t>(i)] = 1000 + i;
  add_segment(plan, 1, 0, ids, blocks_from(0, blocks_for(tokens)), RowsWanted::last);
  return plan;
}

StepPlan decode(int sequences, int position) {
  StepPlan plan;
  const auto blocks = blocks_for(position + 1);
  for (int i = 0; i < sequences; ++i)
    add_segment(plan, static_cast<std::uint64_t>(i), position, {1000 + i},
                blocks_from(static_cast<std::uint32_t>(i * blocks), blocks), RowsWanted::last);
  return plan;
}

/// Time to swap 64 blocks out to the slots from `first_slot` on, and in again, by block.
void measure_swaps(Executor& executor, const char* name, std::uint32_t first_slot) {
  constexpr std::uint32_t kBlocks = 64;
  StepPlan out, in;
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    out.swap_outs.push_back({{1}, {i}, first_slot + i});
    in.swap_ins.push_back({{1}, {i}, first_slot + i});
  }
  for (const auto& [direction, plan] : {std::pair{"out", &out}, {"in", &in}}) {
    std::vector<double> times;
    for (int round = 0; round < 9; ++round) {
      const auto result = submit(executor, *plan);
      if (result.error) return std::printf("%s\n", result.error->message().c_str()), void();
      times.push_back(result.timings.swap_us / kBlocks);
    }
    std::sort(times.begin(), times.end());
    const auto bytes = static_cast<double>(executor.info().kv_bytes_per_token * kBlockSize);
    std::printf("swap %-3s %-18s median %8.1f  best %8.1f us a block   %.2f GB/s\n", direction,
                name, times[times.size() / 2], times.front(), bytes / times.front() * 1e-3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return std::puts("transformer_bench FILE [threads] [activations] [kv_precision]"), 2;
  Value::Object table;
  if (argc > 3) table.emplace_back("activations", argv[3]);
  if (argc > 4) table.emplace_back("kv_precision", argv[4]);
  const auto start = std::chrono::steady_clock::now();
  auto executor = start_executor(argv[1],
                                 {{"threads", argc > 2 ? std::atoi(argv[2]) : 0},
                                  {"kv_bytes", std::int64_t{1} << 30},
                                  {"swap_bytes", std::int64_t{64} << 20},
                                  {"swap_file_bytes", std::int64_t{64} << 20}},
                                 table);
  if (!executor) return std::printf("%s\n", executor.error().message().c_str()), 1;
  const auto& info = (*executor)->info();
  std::printf(
      "load %.3f s, %.1f MB packed, %s, activations %s, KV %s (%lld B/token, %lld blocks)\n",
      seconds_since(start), static_cast<double>(info.weight_bytes) / 1e6, info.kernels.c_str(),
      info.activations.c_str(), info.kv_precision.c_str(),
      static_cast<long long>(info.kv_bytes_per_token), static_cast<long long>(info.num_blocks));
  measure_swaps(**executor, "memory", 0);
  measure_swaps(**executor, "file", static_cast<std::uint32_t>(info.num_host_slots));
  for (int round = 0; round < 2; ++round) {
    measure(**executor, "prefill 128", 5, [](int) { return prefill(128); });
    measure(**executor, "prefill 512", 5, [](int) { return prefill(512); });
    measure(**executor, "decode 1, position 128", 64, [](int i) { return decode(1, 128 + i); });
    measure(**executor, "decode 1, position 1500", 64, [](int i) { return decode(1, 1500 + i); });
    measure(**executor, "decode 8, position 128", 32, [](int i) { return decode(8, 128 + i); });
    measure(**executor, "decode 32, position 128", 8, [](int i) { return decode(32, 128 + i); });
  }
}
