#include "plugins/executor/transformer/block_moves.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace troupe::transformer {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void lose(const BlockSwap& swap, const char* direction, const SwapTiers& tiers, const Error& error,
          StepResult& result) {
  if (result.lost.empty())
    result.lost_reason = "sequence " + std::to_string(swap.sequence.value) + ": swapping block " +
                         std::to_string(swap.block.value) + direction +
                         (swap.slot < tiers.num_host_slots() ? "host" : "file") + " slot " +
                         std::to_string(swap.slot) + ": " + error.message();
  result.lost.push_back(swap.sequence);
}

}  // namespace

bool is_lost(const StepResult& result, SequenceId sequence) {
  return std::find(result.lost.begin(), result.lost.end(), sequence) != result.lost.end();
}

void move_blocks(const StepPlan& plan, KvPool& pool, SwapTiers& tiers, StepResult& result) {
  auto start = Clock::now();
  for (const auto& swap : plan.swap_outs) {
    if (is_lost(result, swap.sequence))
      tiers.slots().mark_failed(swap.slot);
    else if (auto stored = tiers.store(swap, pool); !stored)
      lose(swap, " out to ", tiers, stored.error(), result);
  }
  result.timings.swap_us = microseconds_since(start);
  for (const auto& copy : plan.copies)
    pool.copy(copy);
  start = Clock::now();
  for (const auto& swap : plan.swap_ins) {
    if (is_lost(result, swap.sequence)) continue;
    if (auto loaded = tiers.load(swap, pool); !loaded)
      lose(swap, " in from ", tiers, loaded.error(), result);
  }
  result.timings.swap_us += microseconds_since(start);
}

}  // namespace troupe::transformer
