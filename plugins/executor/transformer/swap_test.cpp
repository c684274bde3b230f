#include "plugins/executor/transformer/test_executor.h"
#include "plugins/executor/transformer/test_prompts.h"
#include "plugins/executor/transformer/tiny_model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <memory>
#include <string>
#include <unistd.h>

// Swaps through the executor, with the system calls of its file made to fail.
namespace troupe::transformer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr SequenceId kVictim{1}, kOther{2}, kThird{3};
constexpr std::uint32_t kHostSlots = 2;  // the slots from here on are in the file

/// Counts the calls of the swap file, and makes one of them go wrong.
struct Trouble {
  enum class Kind { error, full, short_transfer, damage };

  int calls = 0;
  int bad_call = -1;
  Kind kind = Kind::error;

  /// Whether the present call is the bad one.
  bool now() { return calls++ == bad_call; }

  FileCalls file_calls() {
    FileCalls made;
    made.write = [this](int file, const void* data, std::size_t size, off_t at) -> ssize_t {
      if (!now()) return pwrite(file, data, size, at);
      if (kind == Kind::error) return errno = EIO, -1;
      if (kind == Kind::full) return errno = ENOSPC, -1;
      if (kind == Kind::short_transfer) return pwrite(file, data, size / 3, at);
      std::string damaged(static_cast<const char*>(data), size);
      damaged[size / 2] ^= 1;
      return pwrite(file, damaged.data(), size, at);
    };
    made.read = [this](int file, void* data, std::size_t size, off_t at) -> ssize_t {
      if (!now()) return pread(file, data, size, at);
      if (kind == Kind::error) return errno = EIO, -1;
      if (kind == Kind::full) return 0;  // the file was cut short
      if (kind == Kind::short_transfer) return pread(file, data, size / 3, at);
      const auto got = pread(file, data, size, at);
      static_cast<char*>(data)[got / 2] ^= 1;
      return got;
    };
    return made;
  }
};

class Swap : public ::testing::Test {
 protected:
  std::unique_ptr<TransformerExecutor> start(const Value::Object& table = {}) {
    auto executor = std::make_unique<TransformerExecutor>(trouble_.file_calls());
    const std::int64_t block_bytes = 2 * 2 * 2 * 16 * 2 * kBlockSize;
    EXPECT_TRUE(executor->configure(executor_params({{"kv_blocks", 40},
                                                     {"swap_bytes", kHostSlots * block_bytes},
                                                     {"swap_file_bytes", 8 * block_bytes}})));
    OneModel resources(file_.path(), table);
    const auto started = executor->start(resources);
    EXPECT_TRUE(started) << started.error().message();
    return executor;
  }

  /// The victim and another sequence have 40 tokens each, in blocks 0 to 2 and 10 to 12.
  static void run_prompts(Executor& executor) {
    StepPlan plan;
    add_segment(plan, kVictim.value, 0, prompt(40, 1), blocks_from(0, 3), RowsWanted::none);
    add_segment(plan, kOther.value, 0, prompt(40, 2), blocks_from(10, 3), RowsWanted::none);
    ASSERT_FALSE(submit(executor, plan).error);
  }

  /// The victim's blocks go to slots 1 to 3: one in memory and two in the file.
  static StepPlan swap_out_plan() {
    StepPlan plan;
    for (std::uint32_t i = 0; i < 3; ++i)
      plan.swap_outs.push_back({kVictim, {i}, 1 + i});
    return plan;
  }

  /// They come back to blocks 20 to 22, and both sequences go on.
  static StepPlan swap_in_plan() {
    StepPlan plan;
    for (std::uint32_t i = 0; i < 3; ++i)
      plan.swap_ins.push_back({kVictim, {20 + i}, 1 + i});
    add_segment(plan, kVictim.value, 40, {7}, blocks_from(20, 3), RowsWanted::last);
    add_segment(plan, kOther.value, 40, {8}, blocks_from(10, 3), RowsWanted::last);
    return plan;
  }

  static std::vector<float> row(const StepResult& result, std::uint32_t index) {
    const auto values = result.logits.row(index);
    return {values.begin(), values.end()};
  }

  TinyModelFile file_;
  Trouble trouble_;
};

/// Rows of a step after a swap there and back without trouble.
struct Expected {
  std::vector<float> victim, other;
};

TEST_F(Swap, EveryCallOfTheFileMayFailAndOnlyItsSequenceIsLost) {
  auto executor = start();
  run_prompts(*executor);
  ASSERT_TRUE(submit(*executor, swap_out_plan()).lost.empty());
  const auto sound = submit(*executor, swap_in_plan());
  ASSERT_FALSE(sound.error);
  const Expected expected{row(sound, 0), row(sound, 1)};
  EXPECT_GT(sound.timings.swap_us, 0);
  EXPECT_GE(sound.timings.total_us, sound.timings.swap_us);
  const int calls = trouble_.calls;
  ASSERT_EQ(calls, 4);
  using enum Trouble::Kind;
  for (const auto kind : {error, full, damage, short_transfer})
    for (int bad = 0; bad < calls; ++bad) {
      trouble_ = {0, bad, kind};
      executor = start();
      run_prompts(*executor);
      const auto out = submit(*executor, swap_out_plan());
      const auto in = submit(*executor, swap_in_plan());
      ASSERT_FALSE(out.error || in.error);
      EXPECT_TRUE(out.failed.empty() && in.failed.empty());
      const bool lost_out = bad < 2 && (kind == error || kind == full);
      const bool lost_in = kind != short_transfer;  // what was not stored cannot come back
      EXPECT_EQ(out.lost, lost_out ? std::vector{kVictim} : std::vector<SequenceId>{});
      EXPECT_EQ(in.lost, lost_in ? std::vector{kVictim} : std::vector<SequenceId>{});
      EXPECT_EQ(out.lost_reason.empty(), !lost_out);
      EXPECT_EQ(in.lost_reason.empty(), !lost_in);
      EXPECT_EQ(row(in, 1), expected.other) << "call " << bad;
      if (lost_in)
        EXPECT_TRUE(std::isnan(in.logits.row(0)[0])) << "nobody may take the row for logits";
      else
        EXPECT_EQ(row(in, 0), expected.victim) << "call " << bad;
    }
}

TEST_F(Swap, TheReasonNamesSequenceBlockSlotAndCause) {
  trouble_ = {0, 1, Trouble::Kind::full};
  auto executor = start();
  run_prompts(*executor);
  const auto result = submit(*executor, swap_out_plan());
  EXPECT_THAT(result.lost_reason, HasSubstr("sequence 1: swapping block 2 out to file slot 3"));
  EXPECT_THAT(result.lost_reason, HasSubstr("No space left"));
}

TEST_F(Swap, ALostSequenceCanBeComputedAgain) {
  auto executor = start();
  run_prompts(*executor);
  submit(*executor, swap_out_plan());
  const auto expected = row(submit(*executor, swap_in_plan()), 0);
  trouble_ = {0, 3, Trouble::Kind::damage};
  executor = start();
  run_prompts(*executor);
  submit(*executor, swap_out_plan());
  EXPECT_THAT(submit(*executor, swap_in_plan()).lost, ElementsAre(kVictim));
  StepPlan again;
  auto ids = prompt(40, 1);
  ids.push_back(7);
  add_segment(again, kVictim.value, 0, ids, blocks_from(20, 3), RowsWanted::last);
  EXPECT_EQ(row(submit(*executor, again), 0), expected);
}

TEST_F(Swap, AFailureCostsNoOtherSequenceItsSwap) {
  auto executor = start();
  run_prompts(*executor);
  trouble_ = {0, 0, Trouble::Kind::error};
  auto plan = swap_out_plan();
  plan.swap_outs.push_back({kOther, {10}, 5});
  plan.swap_outs.push_back({kOther, {11}, 0});
  EXPECT_THAT(submit(*executor, plan).lost, ElementsAre(kVictim));
  StepPlan back;
  back.swap_ins = {{kOther, {30}, 5}, {kOther, {31}, 0}};
  EXPECT_TRUE(submit(*executor, back).lost.empty());
}

TEST_F(Swap, IsDoneInTheOrderOutCopyIn) {
  // Block 0 goes out, gets the copy of block 10, and the content of slot 1 comes to block 10.
  auto executor = start();
  run_prompts(*executor);
  StepPlan decode;
  add_segment(decode, kVictim.value, 40, {7}, blocks_from(0, 3), RowsWanted::last);
  const auto victim = row(submit(*executor, decode), 0);
  StepPlan plan;
  plan.swap_outs = {{kVictim, {0}, 1}};
  plan.copies = {{{10}, {0}}};
  plan.swap_ins = {{kVictim, {10}, 1}};
  add_segment(plan, kVictim.value, 40, {7}, {{10}, {1}, {2}}, RowsWanted::last);
  add_segment(plan, kOther.value, 40, {8}, {{0}, {11}, {12}}, RowsWanted::last);
  const auto moved = submit(*executor, plan);
  ASSERT_FALSE(moved.error) << moved.error->message();
  EXPECT_EQ(row(moved, 0), victim);
  const auto other = row(moved, 1);
  StepPlan copied_back;
  copied_back.copies = {{{0}, {10}}};
  add_segment(copied_back, kOther.value, 40, {8}, blocks_from(10, 3), RowsWanted::last);
  EXPECT_EQ(row(submit(*executor, copied_back), 0), other);
}

TEST_F(Swap, ASlotThatWasNeverWrittenIsAnErrorOfThePlan) {
  auto executor = start();
  StepPlan plan;
  plan.swap_ins = {{kThird, {1}, 4}};
  const auto result = submit(*executor, plan);
  ASSERT_TRUE(result.error);
  EXPECT_THAT(result.error->message(), HasSubstr("slot 4 was never written"));
  EXPECT_TRUE(result.lost.empty());
}

}  // namespace
}  // namespace troupe::transformer::testing
