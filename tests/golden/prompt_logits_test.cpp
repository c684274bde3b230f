#include "prompt_logits.h"

#include "troupe/testing/fake_executor.h"
#include "troupe/testing/fake_resources.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace troupe::golden {
namespace {

ExecutorInfo small_executor() {
  return *testing::FakeResources().executor;
}

std::vector<TokenId> prompt_of(std::size_t size) {
  std::vector<TokenId> ids(size);
  std::iota(ids.begin(), ids.end(), 1);
  return ids;
}

std::vector<std::vector<float>> rows_of(std::span<const TokenId> ids, std::int32_t chunk) {
  testing::FakeExecutor executor(small_executor());
  std::vector<std::vector<float>> rows;
  const auto ran = run_prompt(executor, ids, chunk, [&](std::int32_t position, auto logits) {
    EXPECT_EQ(position, static_cast<std::int32_t>(rows.size()));
    rows.emplace_back(logits.begin(), logits.end());
  });
  EXPECT_TRUE(ran);
  return rows;
}

TEST(RunPrompt, GivesARowForEveryPositionAndTheSameOnesInEveryChunking) {
  const auto ids = prompt_of(40);
  const auto whole = rows_of(ids, 512);
  ASSERT_EQ(whole.size(), ids.size());
  EXPECT_EQ(whole.front().size(), 64u);
  for (const std::int32_t chunk : {1, 7, 16, 17, 39})
    EXPECT_EQ(rows_of(ids, chunk), whole) << chunk;
}

TEST(RunPrompt, OfNoTokensRunsNoStep) {
  EXPECT_TRUE(rows_of({}, 16).empty());
}

TEST(RunPrompt, PassesOnTheErrorOfAStepAndOfASequence) {
  testing::FakeExecutor executor(small_executor());
  const auto ids = prompt_of(20);
  int rows = 0;
  const auto count = [&](std::int32_t, std::span<const float>) { ++rows; };
  executor.on_step = [](const StepPlan& plan) -> std::optional<Error> {
    if (plan.segments.front().first_position == 0) return std::nullopt;
    return Error(ErrorCode::device, "second step fails");
  };
  EXPECT_EQ(run_prompt(executor, ids, 16, count).error().message(), "second step fails");
  EXPECT_EQ(rows, 16);
  executor.on_step = nullptr;
  executor.on_segment = [](const StepSegment&) -> std::optional<Error> {
    return Error(ErrorCode::internal, "row is not finite");
  };
  EXPECT_EQ(run_prompt(executor, ids, 16, count).error().message(), "row is not finite");
}

}  // namespace
}  // namespace troupe::golden
