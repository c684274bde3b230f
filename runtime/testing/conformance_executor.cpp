#include "troupe/api/executor.h"
#include "troupe/core/block_math.h"
#include "troupe/testing/conformance_kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace troupe::testing {
namespace {

/// One sequence that owns the blocks from `first_block` on.
struct Feed {
  Executor& executor;
  std::uint32_t first_block = 0;
  std::uint64_t step = 0;

  /// Runs ids[from, to) and returns the last row of logits.
  std::vector<float> run(const std::vector<TokenId>& ids, std::size_t from, std::size_t to) {
    StepPlan plan;
    plan.step = StepId{++step};
    StepSegment segment;
    segment.sequence = SequenceId{1};
    segment.first_position = static_cast<std::int32_t>(from);
    segment.num_tokens = static_cast<std::int32_t>(to - from);
    segment.num_blocks = static_cast<std::uint32_t>(blocks_for(static_cast<std::int64_t>(to)));
    segment.rows = RowsWanted::last;
    plan.segments = {segment};
    plan.token_ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(from),
                          ids.begin() + static_cast<std::ptrdiff_t>(to));
    for (std::uint32_t i = 0; i < segment.num_blocks; ++i)
      plan.block_ids.push_back(BlockId{first_block + i});
    plan.num_rows = 1;
    std::vector<float> logits;
    int calls = 0;
    executor.submit(plan, [&](const StepResult& result) {
      ++calls;
      EXPECT_EQ(result.step, plan.step);
      EXPECT_FALSE(result.error) << result.error->message();
      EXPECT_EQ(result.logits.num_rows, 1u);
      if (result.logits.data)
        logits.assign(result.logits.row(0).begin(), result.logits.row(0).end());
    });
    EXPECT_EQ(calls, 1) << "done is called once, before submit returns";
    return logits;
  }
};

}  // namespace

void check_executor(const MakeOperator& make) {
  const auto op = make();
  auto* executor = dynamic_cast<Executor*>(op.get());
  ASSERT_NE(executor, nullptr);
  const auto& info = executor->info();
  ASSERT_GT(info.vocab_size, 0);
  ASSERT_GE(info.context_len, 20);
  ASSERT_GE(info.num_blocks, 4);
  EXPECT_GT(info.max_batch_tokens, 0);
  std::vector<TokenId> ids;
  for (std::int32_t i = 0; i < 20; ++i)
    ids.push_back((i * 5 + 1) % info.vocab_size);

  Feed whole{*executor};
  const auto expected = whole.run(ids, 0, 20);
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(info.vocab_size));
  for (const float logit : expected)
    ASSERT_TRUE(std::isfinite(logit));
  EXPECT_EQ(whole.run(ids, 0, 20), expected) << "not deterministic";
  Feed chunks{*executor, 2};
  static_cast<void>(chunks.run(ids, 0, 1));
  static_cast<void>(chunks.run(ids, 1, 17));
  static_cast<void>(chunks.run(ids, 17, 19));
  EXPECT_EQ(chunks.run(ids, 19, 20), expected) << "the result depends on how a prompt is cut";
}

}  // namespace troupe::testing
