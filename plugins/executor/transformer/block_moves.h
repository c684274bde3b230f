#pragma once
#include "plugins/executor/transformer/kv_pool.h"
#include "plugins/executor/transformer/swap_tiers.h"
#include "troupe/api/step.h"

namespace troupe::transformer {

/// Does the memory operations of a plan: swap_outs, copies, swap_ins. A sequence with a swap that
/// fails goes to result.lost, its further swaps are left out, and all others are done. Sets
/// timings.swap_us. Pre: check_plan accepted the plan.
void move_blocks(const StepPlan& plan, KvPool& pool, SwapTiers& tiers, StepResult& result);

/// Whether a swap of the sequence failed in this step.
bool is_lost(const StepResult& result, SequenceId sequence);

}  // namespace troupe::transformer
