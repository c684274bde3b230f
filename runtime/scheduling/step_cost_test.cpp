#include "troupe/scheduling/step_cost.h"

#include <gtest/gtest.h>

#include <cmath>

namespace troupe::scheduling {
namespace {

StepCost::Step step(std::int64_t decode, std::int64_t prefill, double us) {
  StepCost::Step step;
  step.decode_tokens = decode;
  step.prefill_tokens = prefill;
  step.total_us = us;
  return step;
}

TEST(StepCost, KnowsNothingBeforeAStepRan) {
  StepCost cost;
  EXPECT_FALSE(cost.decode_us(1));
  EXPECT_FALSE(cost.prefill_us_per_token());
  EXPECT_FALSE(cost.swap_us_per_block());
  cost.learn(step(3, 10, 0));  // without times
  EXPECT_FALSE(cost.decode_us(1));
}

TEST(StepCost, FindsTheThreeTermsFromMixedSteps) {
  StepCost cost;
  for (std::int64_t i = 0; i < 200; ++i) {
    const std::int64_t n = 1 + i % 7, p = (i * 37) % 200;
    cost.learn(step(n, p, 900.0 + 50.0 * static_cast<double>(n) + 8.0 * static_cast<double>(p)));
  }
  EXPECT_NEAR(*cost.decode_us(4), 1100, 5);
  EXPECT_NEAR(*cost.prefill_us_per_token(), 8, 0.05);
}

TEST(StepCost, OfStepsOfOneSizeSaysWhatTheyTook) {
  StepCost cost;
  for (int i = 0; i < 30; ++i)
    cost.learn(step(8, 0, 1000));
  EXPECT_NEAR(*cost.decode_us(8), 1000, 1);
  EXPECT_FALSE(cost.prefill_us_per_token());
  cost.learn(step(8, 100, 3000));
  EXPECT_NEAR(*cost.prefill_us_per_token(), 20, 0.5);
}

TEST(StepCost, LongDecodingDoesNotWashOutWhatPromptsCost) {
  StepCost cost;
  for (int i = 0; i < 50; ++i) {
    cost.learn(step(1 + i % 3, 100, 1000.0 + 10.0 * (1 + i % 3) + 500));
    cost.learn(step(1 + i % 3, 0, 1000.0 + 10.0 * (1 + i % 3)));
  }
  for (int i = 0; i < 5000; ++i)
    cost.learn(step(2, 0, 1020));
  EXPECT_NEAR(*cost.prefill_us_per_token(), 5, 0.3);
}

TEST(StepCost, FollowsAMachineThatBecomesSlower) {
  StepCost cost;
  for (int i = 0; i < 300; ++i)
    cost.learn(step(4, 0, 1000));
  for (int i = 0; i < 300; ++i)
    cost.learn(step(4, 0, 2000));
  EXPECT_NEAR(*cost.decode_us(4), 2000, 20);
}

TEST(StepCost, OneDisturbedStepDoesNotCountForMoreThanFour) {
  StepCost cost;
  for (int i = 0; i < 100; ++i)
    cost.learn(step(4, 0, 1000));
  cost.learn(step(4, 0, 1e6));
  EXPECT_LT(*cost.decode_us(4), 1100);
}

TEST(StepCost, NoTermIsEverLessThanNothing) {
  StepCost cost;
  for (int i = 0; i < 100; ++i)  // more prompt tokens, less time: no such machine
    cost.learn(step(1, 1 + i % 50, 1000.0 - 10.0 * (i % 50)));
  EXPECT_GE(*cost.prefill_us_per_token(), 0);
  EXPECT_GE(*cost.decode_us(1), 0);
  EXPECT_TRUE(std::isfinite(*cost.decode_us(1000)));
}

TEST(StepCost, SwapsAreMeasuredApart) {
  StepCost cost;
  auto swapping = step(4, 0, 1500);
  swapping.swapped_blocks = 10;
  swapping.swap_us = 500;
  cost.learn(swapping);
  EXPECT_NEAR(*cost.swap_us_per_block(), 50, 1e-9);
  EXPECT_NEAR(*cost.decode_us(4), 1000, 1);
}

TEST(StepCost, TimesThatAreNoNumbersTeachNothing) {
  StepCost cost;
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    cost.learn(step(4, 100, bad));
    auto swapped = step(4, 100, 5000);
    swapped.swapped_blocks = 3;
    swapped.swap_us = bad;
    cost.learn(swapped);
  }
  EXPECT_FALSE(cost.decode_us(1));
  EXPECT_FALSE(cost.swap_us_per_block());
  for (int i = 0; i < 30; ++i)
    cost.learn(step(8, 0, 1000));
  EXPECT_NEAR(*cost.decode_us(8), 1000, 1);
}

}  // namespace
}  // namespace troupe::scheduling
