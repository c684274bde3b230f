#include "plugins/executor/transformer/plan_check.h"

#include "plugins/executor/transformer/test_executor.h"
#include "plugins/executor/transformer/tiny_model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace troupe::transformer::testing {
namespace {

using ::testing::HasSubstr;

constexpr PlanLimits kLimits{100, 64, 10, 32, 0, nullptr};

/// Two segments: 17 tokens from position 0, and one at position 31.
StepPlan good_plan() {
  StepPlan plan;
  add_segment(plan, 7, 0, std::vector<TokenId>(17, 5), blocks_from(2, 2), RowsWanted::last);
  add_segment(plan, 9, 31, {99}, blocks_from(4, 2), RowsWanted::all);
  return plan;
}

std::string problem_of(const StepPlan& plan, const PlanLimits& limits = kLimits) {
  PlanMarks marks;
  const auto checked = check_plan(plan, limits, marks);
  return checked ? "" : checked.error().message();
}

TEST(PlanCheck, AcceptsAPlanThatFits) {
  EXPECT_EQ(problem_of(good_plan()), "");
  EXPECT_EQ(problem_of(StepPlan{}), "");
}

struct Fault {
  const char* message;
  std::function<void(StepPlan&)> make;
};

TEST(PlanCheck, NamesWhatDoesNotFit) {
  const Fault faults[] = {
      {"segment 1 (sequence 9): 0 tokens", [](StepPlan& p) { p.segments[1].num_tokens = 0; }},
      {"-2 tokens", [](StepPlan& p) { p.segments[1].num_tokens = -2; }},
      {"positions 64 to 64, but the context has 64",
       [](StepPlan& p) { p.segments[1].first_position = 64; }},
      {"positions -1", [](StepPlan& p) { p.segments[1].first_position = -1; }},
      {"context", [](StepPlan& p) { p.segments[1].first_position = 0x7fffffff; }},
      {"its tokens lie past", [](StepPlan& p) { p.segments[1].token_offset = 18; }},
      {"its tokens lie past", [](StepPlan& p) { p.segments[1].token_offset = 0xffffffff; }},
      {"token id 100 at position 31", [](StepPlan& p) { p.token_ids[17] = 100; }},
      {"token id -1 at position 0", [](StepPlan& p) { p.token_ids[0] = -1; }},
      {"a block table of 1 entries, but 17 positions need 2",
       [](StepPlan& p) { p.segments[0].num_blocks = 1; }},
      {"its block table lies past", [](StepPlan& p) { p.segments[1].block_offset = 3; }},
      {"its block table lies past", [](StepPlan& p) { p.segments[1].block_offset = 0xffffffff; }},
      {"block 10 in its table", [](StepPlan& p) { p.block_ids[1].value = 10; }},
      {"block 4294967295", [](StepPlan& p) { p.block_ids[3].value = 0xffffffff; }},
      {"wants rows 2 to 2", [](StepPlan& p) { p.segments[1].first_row = 2; }},
      {"row 0 of the logits is another segment's",
       [](StepPlan& p) { p.segments[1].first_row = 0; }},
      {"3 rows of logits, but its segments want 2", [](StepPlan& p) { p.num_rows = 3; }},
      {"rows of logits, at most 32", [](StepPlan& p) { p.num_rows = 0xffffffff; }},
      {"copy block 10",
       [](StepPlan& p) {
         p.copies = {{{10}, {1}}};
       }},
      {"copy block 1 to 10",
       [](StepPlan& p) {
         p.copies = {{{1}, {10}}};
       }},
      {"copy block 1 to 1",
       [](StepPlan& p) {
         p.copies = {{{1}, {1}}};
       }},
      {"no lower tier",
       [](StepPlan& p) {
         p.swap_ins = {{{1}, {1}, 0}};
       }},
      {"no lower tier",
       [](StepPlan& p) {
         p.swap_outs = {{{1}, {1}, 0}};
       }},
      {"34 tokens, but max_batch_tokens is 32",
       [](StepPlan& p) {
         add_segment(p, 8, 0, std::vector<TokenId>(16, 1), blocks_from(0, 1), RowsWanted::none);
       }},
  };
  for (const auto& fault : faults) {
    auto plan = good_plan();
    fault.make(plan);
    EXPECT_THAT(problem_of(plan), HasSubstr(fault.message));
  }
}

/// Eight slots, of which 3 is stored and 5 failed.
SwapSlots eight_slots() {
  auto slots = SwapSlots::allocate(8).value();
  slots.mark_stored(3, {});
  slots.mark_failed(5);
  return slots;
}

TEST(PlanCheck, AcceptsSwapsInTheOrderInWhichTheyAreDone) {
  const auto slots = eight_slots();
  auto limits = kLimits;
  limits.slots = &slots;
  StepPlan plan;
  plan.swap_outs = {{{1}, {4}, 0}, {{1}, {5}, 7}};
  plan.copies = {{{2}, {4}}};
  plan.swap_ins = {{{2}, {5}, 3}, {{3}, {6}, 5}, {{4}, {7}, 7}};
  EXPECT_EQ(problem_of(plan, limits), "");
}

TEST(PlanCheck, NamesTheSwapThatCannotBeDone) {
  const Fault faults[] = {
      {"swap_out of sequence 1: block 10 of 10, slot 0 of 8",
       [](StepPlan& p) {
         p.swap_outs = {{{1}, {10}, 0}};
       }},
      {"slot 8 of 8",
       [](StepPlan& p) {
         p.swap_outs = {{{1}, {1}, 8}};
       }},
      {"swap_in of sequence 1: block 4294967295",
       [](StepPlan& p) {
         p.swap_ins = {{{1}, kNoBlock, 3}};
       }},
      {"slot 4294967295 of 8",
       [](StepPlan& p) {
         p.swap_ins = {{{1}, {1}, UINT32_MAX}};
       }},
      {"slot 2 is written by two swap_outs",
       [](StepPlan& p) {
         p.swap_outs = {{{1}, {1}, 2}, {{1}, {2}, 1}, {{2}, {3}, 2}};
       }},
      {"block 4 is written by two copies or swaps",
       [](StepPlan& p) {
         p.copies = {{{1}, {4}}};
         p.swap_ins = {{{1}, {4}, 3}};
       }},
      {"block 4 is written by two copies or swaps",
       [](StepPlan& p) {
         p.copies = {{{1}, {4}}, {{2}, {4}}};
       }},
      {"swap_in of sequence 9: slot 2 was never written",
       [](StepPlan& p) {
         p.swap_ins = {{{9}, {1}, 2}};
       }},
  };
  const auto slots = eight_slots();
  auto limits = kLimits;
  limits.slots = &slots;
  for (const auto& fault : faults) {
    auto plan = good_plan();
    fault.make(plan);
    EXPECT_THAT(problem_of(plan, limits), HasSubstr(fault.message));
  }
}

TEST(PlanCheck, WantsNoBlocksThatTheSlidingWindowOfTheFirstTokenHasLeft) {
  auto limits = kLimits;
  limits.sliding_window = 10;
  StepPlan plan;
  add_segment(plan, 1, 41, {1, 2}, {kNoBlock, kNoBlock, {5}}, RowsWanted::last);
  EXPECT_EQ(problem_of(plan, limits), "");  // 41 sees positions 32 to 41
  plan.segments[0].first_position = 40;
  EXPECT_THAT(problem_of(plan, limits), HasSubstr("block 4294967295 in its table"));
  plan.block_ids[1] = {4};
  EXPECT_EQ(problem_of(plan, limits), "");
}

TEST(PlanCheck, RandomDamageNeverCrashesTheExecutor) {
  const TinyModelFile file;
  auto executor =
      start_executor(file.path(), {{"kv_blocks", 10}, {"max_batch_tokens", 32}}, {{"context", 64}})
          .value();
  std::mt19937 random(1);
  const std::uint32_t values[] = {0,  1,  2,  9,          10,         16,
                                  31, 33, 64, 0x7fffffff, 0x80000000, 0xffffffff};
  int errors = 0;
  for (int round = 0; round < 2000; ++round) {
    auto plan = good_plan();
    for (int i = 0; i < 2; ++i) {
      auto& segment = plan.segments[random() % 2];
      std::uint32_t* const fields[] = {
          reinterpret_cast<std::uint32_t*>(&segment.first_position),
          reinterpret_cast<std::uint32_t*>(&segment.num_tokens),
          &segment.token_offset,
          &segment.block_offset,
          &segment.num_blocks,
          &segment.first_row,
          reinterpret_cast<std::uint32_t*>(&plan.token_ids[random() % 18]),
          &plan.block_ids[random() % 4].value,
          &plan.num_rows};
      *fields[random() % std::size(fields)] = values[random() % std::size(values)];
    }
    errors += submit(*executor, plan).error ? 1 : 0;
  }
  EXPECT_GT(errors, 500);
  EXPECT_FALSE(submit(*executor, good_plan()).error);
}

}  // namespace
}  // namespace troupe::transformer::testing
