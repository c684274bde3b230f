#pragma once
#include "plugins/executor/transformer/swap_slots.h"
#include "troupe/api/result.h"
#include "troupe/api/step.h"

#include <cstdint>
#include <vector>

namespace troupe::transformer {

/// What a plan is compared with.
struct PlanLimits {
  std::int32_t vocab_size = 0;
  std::int32_t context_len = 0;
  std::int64_t num_blocks = 0;
  std::int32_t max_batch_tokens = 0;
  std::int32_t sliding_window = 0;
  const SwapSlots* slots = nullptr;  // of the lower tiers, when there are any
};

/// Memory for marks, kept between calls.
struct PlanMarks {
  std::vector<bool> row_taken;
  std::vector<std::uint32_t> slots;   // that swap_outs write
  std::vector<std::uint32_t> blocks;  // that copies and swap_ins write
};

/// Compares every number of a plan with the model, the pool and the lower tiers, so that the
/// executor may use them unchecked: token ids, positions, block tables and ids, rows of logits,
/// sizes, copies and swaps, of which no two may write the same place. A table's entries before the
/// sliding window of the segment's first token are not looked at. Errors: invalid_argument (names
/// the segment and its sequence, or the swap), unsupported (swaps without a lower tier).
Result<void> check_plan(const StepPlan& plan, const PlanLimits& limits, PlanMarks& marks);

}  // namespace troupe::transformer
