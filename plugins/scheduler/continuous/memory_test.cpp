#include "test_rig.h"
#include "troupe/core/block_math.h"

namespace troupe::continuous {
namespace {

ExecutorInfo with_slots(std::int64_t num_blocks) {
  auto info = Rig::executor_of(num_blocks);
  info.num_host_slots = 100;
  info.kv_bytes_per_token = 1000;
  return info;
}

/// What the preempted one of two requests is released with, prompt tokens costing `token_us`.
AfterRelease preempted_with(const Value::Object& params, double token_us, ExecutorInfo info) {
  Rig rig(params, info);
  rig.executor.timings = [&](const StepPlan& plan) {
    StepTimings timings;
    timings.total_us = 10 + token_us * static_cast<double>(plan.token_ids.size());
    return timings;
  };
  rig.admit(1, 30, 50);
  rig.admit(2, 30, 50);
  while (rig.scheduler->stats().preemptions == 0)
    rig.turn();
  rig.turn();
  const auto& request = rig.loop->request();
  EXPECT_EQ(request.releases.size(), 1u);
  const auto after = request.releases.at(0).after;
  EXPECT_EQ(rig.scheduler->stats().swaps, after == AfterRelease::swap ? 1 : 0);
  rig.run();
  EXPECT_EQ(rig.tokens_of(2), alone(2, 30, 50));
  return after;
}

TEST(Swap, IsChosenWhereItIsEstimatedToTakeLess) {
  // 48 tokens in three blocks of 16,000 bytes: at first 4 us per block and way are assumed.
  EXPECT_EQ(preempted_with({}, 10, with_slots(6)), AfterRelease::swap);
  EXPECT_EQ(preempted_with({}, 0.01, with_slots(6)), AfterRelease::share);
}

TEST(Swap, CanBeToldOrForbidden) {
  EXPECT_EQ(preempted_with({{"preemption", "swap"}}, 0.01, with_slots(6)), AfterRelease::swap);
  EXPECT_EQ(preempted_with({{"preemption", "recompute"}}, 10, with_slots(6)), AfterRelease::share);
}

TEST(Swap, IsNothingWithoutALowerTier) {
  EXPECT_EQ(preempted_with({}, 10, Rig::executor_of(6)), AfterRelease::share);
  testing::FakeResources resources;
  const std::unique_ptr<Operator> op(troupe_plugin.spec->create());
  ASSERT_TRUE(
      op->configure(*complete_params(troupe_plugin.spec->params, {{"preemption", "swap"}})));
  EXPECT_EQ(op->start(resources).error().code(), ErrorCode::invalid_argument);
}

TEST(Publishing, TellsTheCacheOfFullBlocksAsTheyFillAndOfAllAtTheEnd) {
  Rig rig({{"prefill_chunk", 20}});
  rig.admit(1, 45, 6);
  std::vector<std::size_t> lengths;
  std::int64_t releases = 0;
  while (rig.scheduler->has_work()) {
    rig.turn();
    for (const auto& publish : rig.loop->request().publishes)
      lengths.push_back(publish.token_ids.size());
    releases += static_cast<std::int64_t>(rig.loop->request().releases.size());
  }
  // After chunks of 20, 20 and 5, and as 48 is passed; 51 tokens, the last of them not computed.
  EXPECT_EQ(lengths, (std::vector<std::size_t>{20, 40, 48, 50}));
  EXPECT_EQ(releases, 1);
}

TEST(Publishing, WhatARequestWithBadRowsComputedIsForgotten) {
  Rig rig;
  rig.executor.on_segment = [](const StepSegment&) {
    return std::optional(Error(ErrorCode::device, "not finite"));
  };
  rig.admit(1, 40, 6);
  rig.turn();
  rig.turn();
  ASSERT_EQ(rig.loop->request().releases.size(), 1u);
  EXPECT_EQ(rig.loop->request().releases[0].after, AfterRelease::forget);
  EXPECT_TRUE(rig.loop->request().publishes.empty());
}

TEST(Publishing, AfterAFailedStepNothingOfItIsShared) {
  Rig rig;
  rig.admit(1, 40, 6);
  rig.turn();
  rig.executor.on_step = [&, failing = rig.executor.steps + 1](const StepPlan&) {
    return rig.executor.steps == failing ? std::optional(Error(ErrorCode::device, "a fault"))
                                         : std::nullopt;
  };
  rig.turn();
  rig.turn();
  EXPECT_TRUE(rig.loop->request().last_step_failed);
  ASSERT_EQ(rig.loop->request().releases.size(), 1u);
  EXPECT_EQ(rig.loop->request().releases[0].after, AfterRelease::forget);
  rig.turn();
  EXPECT_FALSE(rig.loop->request().last_step_failed);
  rig.run();
  EXPECT_EQ(rig.tokens_of(1), alone(1, 40, 6));
}

/// One turn of which the executor says that it lost `lost`.
void turn_that_loses(Rig& rig, SequenceId lost) {
  BlockRequest request;
  BlockGrant grant;
  StepPlan plan;
  rig.scheduler->want(rig.now(), request);
  rig.cache.reserve(request, grant);
  rig.scheduler->plan(grant, rig.now(), plan, rig.events);
  ASSERT_FALSE(plan.empty());
  rig.executor.submit(plan, [&](const StepResult& result) {
    auto changed = result;
    changed.lost.push_back(lost);
    SampledTokens sampled;
    rig.sampler.sample({plan.step, result.logits, plan.samples, 64}, sampled);
    rig.scheduler->complete(changed, sampled, rig.now(), rig.events);
  });
  rig.check();
}

TEST(LostSequences, AreComputedAgainAndTheirContentIsForgotten) {
  Rig rig;
  rig.admit(1, 40, 6);
  rig.admit(2, 20, 6);
  rig.turn();
  turn_that_loses(rig, SequenceId{1});
  EXPECT_EQ(rig.scheduler->stats().lost, 1);
  EXPECT_EQ(rig.scheduler->stats().waiting, 1);
  rig.turn();
  ASSERT_EQ(rig.loop->request().releases.size(), 1u);
  EXPECT_EQ(rig.loop->request().releases[0].after, AfterRelease::forget);
  rig.run();
  EXPECT_EQ(rig.tokens_of(1), alone(1, 40, 6));
  EXPECT_EQ(rig.tokens_of(2), alone(2, 20, 6));
  EXPECT_EQ(rig.scheduler->stats().recomputed_tokens, 40);
}

TEST(LostSequences, ThatWaitSwappedOutAreToldToTheCache) {
  Rig rig({{"preemption", "swap"}}, with_slots(6));
  rig.admit(1, 30, 50);
  rig.admit(2, 30, 50);
  while (rig.scheduler->stats().preemptions == 0)
    rig.turn();
  turn_that_loses(rig, SequenceId{2});
  EXPECT_EQ(rig.scheduler->stats().lost, 1);
  rig.turn();
  ASSERT_EQ(rig.loop->request().releases.size(), 1u);
  EXPECT_EQ(rig.loop->request().releases[0].sequence, SequenceId{2});
  EXPECT_EQ(rig.loop->request().releases[0].after, AfterRelease::forget);
  rig.run();
  EXPECT_EQ(rig.tokens_of(2), alone(2, 30, 50));
}

TEST(Swap, WhatMovedIsGivenBackWhenItsRequestIsCancelled) {
  Rig rig({{"preemption", "swap"}}, with_slots(6));
  rig.admit(1, 30, 50);
  rig.admit(2, 30, 50);
  while (rig.scheduler->stats().preemptions == 0)
    rig.turn();
  rig.turn();
  rig.cancel(2);
  rig.turn();
  ASSERT_EQ(rig.loop->request().releases.size(), 1u);
  EXPECT_EQ(rig.loop->request().releases[0].sequence, SequenceId{2});
  EXPECT_NE(rig.loop->request().releases[0].after, AfterRelease::swap);
  rig.run();
}

TEST(MemoryOnlySteps, AreStepsToo) {
  Rig rig;
  rig.admit(1, 20, 5);
  BlockRequest request;
  BlockGrant grant;
  StepPlan plan;
  rig.scheduler->want(rig.now(), request);
  grant.step = request.step;
  grant.grants.push_back({});
  grant.grants[0].sequence = request.wants.at(0).sequence;
  grant.grants[0].short_of_blocks = 1;
  grant.swap_outs.push_back({SequenceId{9}, BlockId{0}, 0});
  // The request is alone and finds no room; but another's blocks are on their way out.
  rig.scheduler->plan(grant, rig.now(), plan, rig.events);
  EXPECT_FALSE(plan.empty());
  rig.scheduler->complete({}, {}, rig.now(), rig.events);
  rig.run();
  EXPECT_EQ(rig.tokens_of(1), alone(1, 20, 5));
}

/// Requests through an executor with a window of 24 positions.
std::vector<TokenId> windowed(std::int64_t num_blocks, const Value::Object& params,
                              std::size_t length, std::int64_t max_tokens,
                              std::int64_t* most_blocks = nullptr) {
  auto info = Rig::executor_of(num_blocks);
  info.sliding_window = 24;
  Rig rig(params, info);
  for (std::uint64_t id = 1; id <= 2; ++id)
    rig.admit(id, length, max_tokens);
  std::int64_t most = 0;
  for (int turns = 0; rig.scheduler->has_work() && turns < 3000; ++turns) {
    rig.turn();
    most = std::max(most, rig.cache.stats().blocks_used);
  }
  EXPECT_EQ(rig.end_of(1).finish, FinishReason::length);
  if (most_blocks) *most_blocks = most;
  return rig.tokens_of(1);
}

TEST(SlidingWindow, BlocksBeforeItGoBack) {
  std::int64_t held = 0;
  const auto tokens = windowed(64, {{"prefill_chunk", 16}}, 40, 150, &held);
  EXPECT_EQ(tokens.size(), 150u);
  EXPECT_LE(held, 2 * (blocks_for(24 + 16) + 1));  // of two requests; 12 each without a window
}

TEST(SlidingWindow, APromptLongerThanTheCacheIsServed) {
  const auto expected = windowed(64, {}, 150, 40);
  EXPECT_EQ(windowed(7, {{"prefill_chunk", 16}}, 150, 40), expected);
  EXPECT_EQ(windowed(4, {{"prefill_chunk", 8}}, 150, 40), expected);  // room for one at a time
}

TEST(SlidingWindow, ChunksChangeNoToken) {
  const auto expected = windowed(64, {}, 90, 30);
  for (const std::int64_t chunk : {1, 5, 16, 33})
    EXPECT_EQ(windowed(12, {{"prefill_chunk", chunk}}, 90, 30), expected) << chunk;
}

}  // namespace
}  // namespace troupe::continuous
