#include "plugins/executor/transformer/test_executor.h"
#include "plugins/executor/transformer/tiny_model_file.h"
#include "troupe/testing/allocations.h"

#include <gtest/gtest.h>

namespace troupe::transformer::testing {
namespace {

TEST(SteadyState, AStepAllocatesNothing) {
  const TinyModelFile file;
  auto executor = start_executor(file.path(), {{"kv_blocks", 400}}).value();
  StepPlan plan;
  add_segment(plan, 1, 0, std::vector<TokenId>(100, 3), blocks_from(0, 7), RowsWanted::last);
  for (std::uint32_t i = 0; i < 8; ++i)
    add_segment(plan, 2 + i, 400, {5}, blocks_from(10 + 26 * i, 26), RowsWanted::last);
  StepPlan decode;
  add_segment(decode, 1, 500, {3}, blocks_from(0, 32), RowsWanted::last);
  int finished = 0;
  const Executor::Done done = [&](const StepResult& result) { finished += result.error ? 0 : 1; };
  for (int warm_up = 0; warm_up < 2; ++warm_up) {
    executor->submit(plan, done);
    executor->submit(decode, done);
  }
  const auto before = troupe::testing::num_allocations();
  for (int step = 0; step < 10; ++step) {
    executor->submit(plan, done);
    executor->submit(decode, done);
  }
  EXPECT_EQ(troupe::testing::num_allocations(), before);
  EXPECT_EQ(finished, 24);
}

TEST(SteadyState, SwapsAndCopiesAllocateNothing) {
  const TinyModelFile file;
  const std::int64_t block_bytes = 2 * 2 * 2 * 16 * 2 * kBlockSize;
  auto executor =
      start_executor(file.path(), {{"swap_bytes", block_bytes}, {"swap_file_bytes", block_bytes}})
          .value();
  StepPlan plan;
  plan.swap_outs = {{{1}, {0}, 0}, {{1}, {1}, 1}};
  plan.copies = {{{2}, {3}}};
  plan.swap_ins = {{{1}, {4}, 0}, {{1}, {5}, 1}};
  int finished = 0;
  const Executor::Done done = [&](const StepResult& result) {
    finished += result.error || !result.lost.empty() ? 0 : 1;
  };
  executor->submit(plan, done);
  const auto before = troupe::testing::num_allocations();
  for (int step = 0; step < 10; ++step)
    executor->submit(plan, done);
  EXPECT_EQ(troupe::testing::num_allocations(), before);
  EXPECT_EQ(finished, 11);
}

}  // namespace
}  // namespace troupe::transformer::testing
