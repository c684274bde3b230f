#pragma once
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
};

/// Compares every number of a plan with the model and the pool, so that the forward pass may use
/// them unchecked: token ids, positions, block tables and ids, rows of logits, sizes. `row_taken`
/// is memory for marks, kept between calls. Errors: invalid_argument (names the segment and its
/// sequence), unsupported (swaps).
Result<void> check_plan(const StepPlan& plan, const PlanLimits& limits,
                        std::vector<bool>& row_taken);

}  // namespace troupe::transformer
