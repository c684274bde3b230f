#include "test_rig.h"

#include <set>

namespace troupe::continuous {
namespace {

constexpr TokenId kPoison = 61;

/// Fails every step that computes a prompt beginning with kPoison.
std::optional<Error> poisoned(const StepPlan& plan) {
  for (const auto& segment : plan.segments)
    if (segment.first_position == 0 && plan.token_ids[segment.token_offset] == kPoison)
      return Error(ErrorCode::device, "poisoned");
  return std::nullopt;
}

TEST(Faults, ATokenThatCannotBeDrawnEndsItsRequestOnly) {
  Rig rig;
  rig.sampler.change = [](const SampleRow& row, SampledToken& token) {
    if (row.history[0] == 9 && row.history.size() == 12)
      token.error = Error(ErrorCode::internal, "no candidate");
  };
  rig.admit(1, 10, 8, 9);
  rig.admit(2, 10, 8, 3);
  rig.run();
  EXPECT_EQ(rig.end_of(1).error->message(), "no candidate");
  EXPECT_EQ(rig.tokens_of(1).size(), 2u);
  EXPECT_EQ(rig.end_of(1).usage.completion_tokens, 2);
  EXPECT_EQ(rig.tokens_of(2), alone(2, 10, 8));
}

TEST(Faults, LogitsThatAreNotFiniteEndTheirRequestOnly) {
  Rig rig;
  rig.executor.on_segment = [](const StepSegment& segment) -> std::optional<Error> {
    if (segment.sequence != SequenceId{1} || segment.first_position < 12) return std::nullopt;
    return Error(ErrorCode::internal, "layer 3 gave NaN");
  };
  rig.admit(1, 10, 8);
  rig.admit(2, 10, 8);
  rig.run();
  EXPECT_EQ(rig.end_of(1).error->message(), "layer 3 gave NaN");
  EXPECT_EQ(rig.tokens_of(2), alone(2, 10, 8));
}

TEST(Faults, ASamplerThatLiesCostsTheRequestsItServed) {
  for (const TokenId lie : {-1, 64, INT32_MAX}) {
    Rig rig;
    rig.sampler.change = [&](const SampleRow& row, SampledToken& token) {
      if (row.history[0] == 9) token.token = lie;
    };
    rig.admit(1, 10, 4, 9);
    rig.admit(2, 10, 4, 3);
    rig.run();
    EXPECT_EQ(rig.end_of(1).error->code(), ErrorCode::internal);
    EXPECT_EQ(rig.tokens_of(2), alone(2, 10, 4));
  }
  Rig rig;
  rig.sampler.change = [](const SampleRow&, SampledToken& token) { token.chosen.reset(); };
  auto draft = rig.draft(1, 5);
  draft->sampling.logprobs = 1;
  rig.admit(draft);
  rig.run();
  EXPECT_EQ(rig.end_of(1).error->code(), ErrorCode::unsupported);
}

// D31: the failed step is tried again without any new arrival.
TEST(Faults, AFailedStepIsComputedAgainByItself) {
  for (std::int64_t failing = 1; failing <= 6; ++failing) {
    Rig rig({{"prefill_chunk", 8}});
    rig.executor.on_step = [&](const StepPlan&) -> std::optional<Error> {
      if (rig.executor.steps != failing) return std::nullopt;
      return Error(ErrorCode::device, "a passing fault");
    };
    rig.admit(1, 20, 6);
    rig.run();
    EXPECT_EQ(rig.tokens_of(1), alone(1, 20, 6)) << failing;
    EXPECT_EQ(rig.end_of(1).finish, FinishReason::length);
  }
}

TEST(Faults, ARequestThatBreaksStepsIsFoundAndEndsAlone) {
  Rig rig;
  rig.executor.on_step = poisoned;
  rig.admit(1, 20, 30);
  for (int i = 0; i < 3; ++i)
    rig.turn();
  rig.admit(2, 8, 30, kPoison);
  rig.admit(3, 25, 30);
  rig.run();
  EXPECT_EQ(rig.end_of(2).error->message(), "poisoned");
  EXPECT_EQ(rig.tokens_of(1), alone(1, 20, 30));
  EXPECT_EQ(rig.tokens_of(3), alone(3, 25, 30));
  EXPECT_EQ(rig.scheduler->stats().failed, 1);
}

TEST(Faults, ALaterChunkThatBreaksStepsIsFoundAsWell) {
  Rig rig({{"prefill_chunk", 8}});
  rig.executor.on_step = [](const StepPlan& plan) -> std::optional<Error> {
    for (const TokenId id : plan.token_ids)
      if (id == kPoison) return Error(ErrorCode::device, "poisoned");
    return std::nullopt;
  };
  rig.sampler.change = [](const SampleRow&, SampledToken& token) { token.token %= 60; };
  auto bad = rig.draft(1, 30);
  bad.prompt_ids[20] = kPoison;
  bad->stop.max_tokens = 5;
  rig.admit(bad);
  rig.admit(2, 10, 40);
  rig.run();
  EXPECT_EQ(rig.end_of(1).error->message(), "poisoned");
  EXPECT_EQ(rig.tokens_of(2).size(), 40u);
}

TEST(Faults, APoolTooSmallForAllSuspectsStillFindsTheGuiltyOne) {
  Rig rig({}, Rig::executor_of(4));
  rig.executor.on_step = poisoned;
  rig.admit(1, 15, 20);
  rig.admit(2, 15, 20);
  rig.turn();
  rig.admit(3, 10, 5, kPoison);
  rig.run();
  EXPECT_EQ(rig.end_of(3).error->message(), "poisoned");
  EXPECT_EQ(rig.tokens_of(1), alone(1, 15, 20));
  EXPECT_EQ(rig.tokens_of(2), alone(2, 15, 20));
}

TEST(Faults, ALostExecutorIsAPauseAndNothingElse) {
  for (int when = 0; when < 10; ++when) {
    Rig rig({{"prefill_chunk", 16}});
    rig.admit(1, 30, 6);
    rig.admit(2, 7, 6);
    for (int i = 0; i < when && rig.scheduler->has_work(); ++i)
      rig.turn();
    rig.scheduler->step_lost(rig.now());
    rig.cache.reset();
    rig.executor.forget();
    rig.check();
    rig.run();
    EXPECT_EQ(rig.tokens_of(1), alone(1, 30, 6)) << when;
    EXPECT_EQ(rig.tokens_of(2), alone(2, 7, 6)) << when;
  }
}

TEST(Faults, ARequestThatKillsTheExecutorTwiceIsEnded) {
  Rig rig;
  rig.admit(1, 10, 5);
  rig.admit(2, 10, 5, kPoison);
  BlockRequest request;
  BlockGrant grant;
  StepPlan plan;
  int deaths = 0;
  while (rig.scheduler->has_work()) {
    ++rig.ms;
    rig.scheduler->want(rig.now(), request);
    rig.cache.reserve(request, grant);
    rig.scheduler->plan(grant, rig.now(), plan, rig.events);
    if (plan.segments.empty()) continue;
    if (poisoned(plan)) {
      ASSERT_LT(++deaths, 4);
      rig.scheduler->step_lost(rig.now());
      rig.cache.reset();
      rig.executor.forget();
      continue;
    }
    rig.executor.submit(plan, [&](const StepResult& result) {
      SampledTokens sampled;
      rig.sampler.sample({plan.step, result.logits, plan.samples, 64}, sampled);
      rig.scheduler->complete(result, sampled, rig.now(), rig.events);
    });
    rig.check();
  }
  EXPECT_EQ(deaths, 2);
  EXPECT_EQ(rig.end_of(2).error->code(), ErrorCode::device);
  EXPECT_EQ(rig.tokens_of(1), alone(1, 10, 5));
}

TEST(Journal, ASchedulerGoesOnWhereAnotherStopped) {
  for (int when = 0; when < 14; ++when) {
    Rig first({{"prefill_chunk", 8}});
    Rig second({{"prefill_chunk", 5}, {"max_batch_tokens", 9}});
    first.admit(1, 20, 6);
    auto draft = first.draft(2, 9);
    draft->n = 2;
    draft->stop.max_tokens = 5;
    draft->stop.stop = {"zz"};
    draft->deadline = first.now() + std::chrono::hours(1);
    first.admit(draft);
    for (int i = 0; i < when && first.scheduler->has_work(); ++i)
      first.turn();
    const auto restored = second.scheduler->restore(first.scheduler->journal(), first.now());
    ASSERT_TRUE(restored) << restored.error().message();
    second.events = first.events;
    second.ms = first.ms;
    second.check();
    EXPECT_EQ(second.scheduler->next_deadline(), first.scheduler->next_deadline());
    second.run();
    EXPECT_EQ(second.tokens_of(1), alone(1, 20, 6)) << when;
    EXPECT_EQ(second.tokens_of(2, 0), alone(2, 9, 5)) << when;
    EXPECT_EQ(second.tokens_of(2, 1), alone(2, 9, 5)) << when;
    EXPECT_EQ(second.end_of(2).usage.completion_tokens, 10) << when;
    std::uint64_t number = 0;
    for (const auto& event : second.events_of(2))
      EXPECT_EQ(event.number, number++) << when;
  }
}

TEST(Journal, ThatDoesNotAddUpIsRefusedAndChangesNothing) {
  Rig source;
  source.admit(1, 10, 5);
  source.turn();
  const auto good = source.scheduler->journal();
  ASSERT_EQ(good.entries.size(), 1u);
  const auto refused = [&](const std::function<void(Journal&)>& change,
                           const ExecutorInfo& info = testing::FakeResources().executor.value()) {
    auto journal = good;
    change(journal);
    Rig rig({}, info);
    const auto result = rig.scheduler->restore(std::move(journal), rig.now());
    EXPECT_FALSE(rig.scheduler->has_work());
    return !result && !result.error().message().empty();
  };
  EXPECT_TRUE(refused([](Journal& j) { j.entries[0].tokens_sent = 2; }));
  EXPECT_TRUE(refused([](Journal& j) { j.entries[0].choice = 1; }));
  EXPECT_TRUE(refused([](Journal& j) { j.entries[0].choice = -1; }));
  EXPECT_TRUE(refused([](Journal& j) { j.entries.push_back(j.entries[0]); }));
  EXPECT_TRUE(refused([](Journal& j) { j.entries[0].finish = FinishReason::stop; }));
  EXPECT_TRUE(refused([](Journal& j) {
    j.entries[0].output_ids.assign(5, 7);
    j.entries[0].tokens_sent = 5;
  }));
  EXPECT_TRUE(refused([](Journal&) {}, Rig::executor_of(64, 10)));  // a smaller context
  EXPECT_FALSE(source.scheduler->restore(good, source.now()));      // not empty
}

TEST(Journal, ARestoredRequestThatIsLateEndsWithAnEvent) {
  Rig first;
  auto draft = first.draft(1, 10);
  draft->deadline = first.now() + std::chrono::milliseconds(5);
  first.admit(draft);
  Rig second;
  second.ms = 20;
  ASSERT_TRUE(second.scheduler->restore(first.scheduler->journal(), second.now()));
  second.scheduler->expire(second.now(), second.events);
  EXPECT_EQ(second.end_of(1).error->code(), ErrorCode::deadline);
}

}  // namespace
}  // namespace troupe::continuous
