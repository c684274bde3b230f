#include "prompt_logits.h"

#include "troupe/api/check.h"

#include <algorithm>
#include <optional>

namespace troupe::golden {
namespace {

StepPlan plan_for(std::span<const TokenId> ids, std::int32_t first, std::int32_t count) {
  StepPlan plan;
  plan.step = StepId{static_cast<std::uint64_t>(first) + 1};
  StepSegment segment;
  segment.sequence = SequenceId{1};
  segment.first_position = first;
  segment.num_tokens = count;
  segment.num_blocks = static_cast<std::uint32_t>((first + count + kBlockSize - 1) / kBlockSize);
  segment.rows = RowsWanted::all;
  const auto chunk = ids.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  plan.token_ids.assign(chunk.begin(), chunk.end());
  for (std::uint32_t block = 0; block < segment.num_blocks; ++block)
    plan.block_ids.push_back(BlockId{block});
  plan.num_rows = segment.num_rows();
  plan.segments.push_back(segment);
  return plan;
}

}  // namespace

Result<void> run_prompt(Executor& executor, std::span<const TokenId> ids, std::int32_t chunk,
                        const std::function<void(std::int32_t, std::span<const float>)>& row) {
  TROUPE_CHECK(chunk > 0);
  const auto size = static_cast<std::int32_t>(ids.size());
  for (std::int32_t first = 0; first < size; first += chunk) {
    const std::int32_t count = std::min(chunk, size - first);
    std::optional<Error> error;
    executor.submit(plan_for(ids, first, count), [&](const StepResult& result) {
      error = result.error;
      if (!error && !result.failed.empty()) error = result.failed.front().second;
      for (std::int32_t i = 0; !error && i < count; ++i)
        row(first + i, result.logits.row(static_cast<std::uint32_t>(i)));
    });
    if (error) return fail(*error);
  }
  return {};
}

}  // namespace troupe::golden
