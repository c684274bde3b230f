#include "test_rig.h"

#include <algorithm>

namespace troupe::continuous {
namespace {

/// A machine on which a step costs 1 ms, 20 us per sequence that decodes and 10 us per prompt
/// token.
StepTimings machine(const StepPlan& plan) {
  StepTimings timings;
  timings.total_us = 1000;
  for (const auto& segment : plan.segments)
    timings.total_us += segment.num_tokens == 1 ? 20.0 : 10.0 * segment.num_tokens;
  return timings;
}

/// Four requests generate; then a prompt of 2000 tokens arrives. Longest step with a decode among
/// those after the arrival, and how many steps the prompt took.
struct Interference {
  double longest_us = 0;
  int prompt_steps = 0;
  std::vector<TokenId> tokens;
};

Interference measure(Value::Object params) {
  auto info = Rig::executor_of(400, 4096);
  info.max_batch_tokens = 2048;
  Rig rig(std::move(params), info);
  double last_us = 0;
  rig.executor.timings = [&](const StepPlan& plan) {
    const auto timings = machine(plan);
    last_us = timings.total_us;
    return timings;
  };
  for (std::uint64_t id = 1; id <= 4; ++id)
    rig.admit(id, 60 + id, 400);
  for (int i = 0; i < 40; ++i)
    rig.turn();
  rig.admit(5, 2000, 3);
  Interference found;
  while (rig.events_of(5).empty()) {
    rig.turn();
    found.longest_us = std::max(found.longest_us, last_us);
    ++found.prompt_steps;
  }
  rig.run();
  found.tokens = rig.tokens_of(5);
  return found;
}

constexpr double kDecodeOnly = 1000 + 4 * 20;

TEST(Interference, ALongPromptRaisesNoLatencyAboveTheFactor) {
  for (const double factor : {1.5, 2.0, 4.0}) {
    const auto found = measure({{"itl_factor", factor}});
    EXPECT_LE(found.longest_us, factor * kDecodeOnly * 1.05) << factor;
    EXPECT_GE(found.longest_us, factor * kDecodeOnly * 0.85) << factor;  // and no less than it may
  }
}

TEST(Interference, WithoutAdaptionTheChunkAloneIsTheLimit) {
  const auto found = measure({{"adapt_prefill", false}, {"prefill_chunk", 2000}});
  EXPECT_GT(found.longest_us, 15 * kDecodeOnly);
  EXPECT_EQ(found.prompt_steps, 1);
}

TEST(Interference, ATargetLatencyStandsInPlaceOfTheFactor) {
  const auto found = measure({{"target_itl_ms", 1.5}});
  EXPECT_LE(found.longest_us, 1500 * 1.05);
  EXPECT_GE(found.longest_us, 1500 * 0.85);
}

TEST(Interference, APromptProgressesHoweverTightTheTarget) {
  const auto found = measure({{"target_itl_ms", 0.001}, {"min_prefill_tokens", 100}});
  EXPECT_EQ(found.prompt_steps, 20);
}

TEST(Interference, TheChunkStaysTheUpperLimit) {
  EXPECT_GE(measure({{"itl_factor", 100.0}, {"prefill_chunk", 50}}).prompt_steps, 40);
}

/// Turns that a prompt of 2,000 tokens takes with nothing beside it, once the machine is known.
int turns_of_a_prompt_alone(double max_step_ms) {
  auto info = Rig::executor_of(400, 4096);
  info.max_batch_tokens = 2048;
  Rig rig({{"prefill_chunk", 2048}, {"max_step_ms", max_step_ms}}, info);
  rig.executor.timings = machine;
  for (std::uint64_t id = 1; id <= 2; ++id) {
    rig.admit(id, 60, 50);
    rig.run();
  }
  rig.admit(3, 2000, 1);
  int turns = 0;
  for (; rig.events_of(3).empty(); ++turns)
    rig.turn();
  return turns;
}

TEST(Interference, APromptAloneIsNotHeldBackButForCancellationsToBeHeard) {
  EXPECT_EQ(turns_of_a_prompt_alone(0), 1);
  EXPECT_EQ(turns_of_a_prompt_alone(1000), 1);
  const auto turns = turns_of_a_prompt_alone(5);  // 10 us a token: about 500 tokens a step
  EXPECT_GE(turns, 4);
  EXPECT_LE(turns, 5);
}

// Alone, prompts are cheap on this machine; beside sequences that decode they cost ten times more.
TEST(Interference, WhatHasNotBeenTriedIsApproachedByDoubling) {
  auto info = Rig::executor_of(400, 4096);
  info.max_batch_tokens = 2048;
  Rig rig({}, info);
  double last_us = 0;
  rig.executor.timings = [&](const StepPlan& plan) {
    auto timings = machine(plan);
    if (plan.segments.size() > 1) timings.total_us += 9 * (timings.total_us - 1000);
    last_us = timings.total_us;
    return timings;
  };
  rig.admit(1, 64, 400);
  for (int i = 0; i < 40; ++i)
    rig.turn();
  rig.admit(2, 2000, 3);
  double longest_us = 0;
  while (rig.events_of(2).empty()) {
    rig.turn();
    longest_us = std::max(longest_us, last_us);
  }
  EXPECT_LE(longest_us,
            5 * 1020);  // taken at its word, the first chunk would take 11 times as long
}

TEST(Interference, HowAPromptIsCutChangesNoToken) {
  const auto whole = measure({{"adapt_prefill", false}});
  EXPECT_EQ(measure({{"itl_factor", 1.2}}).tokens, whole.tokens);
  EXPECT_EQ(measure({{"target_itl_ms", 3.0}}).tokens, whole.tokens);
}

}  // namespace
}  // namespace troupe::continuous
