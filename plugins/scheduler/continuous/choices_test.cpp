#include "test_rig.h"

#include <set>

namespace troupe::continuous {
namespace {

/// Tells choices apart: what is drawn depends on the seed as well.
void draw_by_seed(const SampleRow& row, SampledToken& token) {
  const auto mixed = static_cast<std::uint64_t>(token.token) + row.seed % 50 +
                     static_cast<std::uint64_t>(row.position);
  token.token = static_cast<TokenId>(1 + mixed % 59);
}

Rig::Draft choices(const Rig& rig, std::uint64_t id, std::size_t length, std::int32_t n,
                   std::int64_t max_tokens) {
  auto draft = rig.draft(id, length);
  draft->n = n;
  draft->sampling.seed = 11;
  draft->stop.max_tokens = max_tokens;
  return draft;
}

/// What the choice of this index gets as a request of its own, with the seed derived for it.
std::vector<TokenId> choice_alone(std::uint64_t id, std::size_t length, std::int32_t choice,
                                  std::int64_t max_tokens) {
  Rig rig;
  std::vector<TokenId> found;
  rig.sampler.change = draw_by_seed;
  rig.admit(choices(rig, id, length, choice + 1, max_tokens));
  rig.run();
  return rig.tokens_of(id, choice);
}

TEST(Choices, OfOnePromptShareOnePrefill) {
  Rig rig;
  rig.sampler.change = draw_by_seed;
  rig.admit(choices(rig, 1, 100, 4, 6));
  rig.turn();
  EXPECT_EQ(rig.segments(), (std::vector<std::pair<int, int>>{{0, 100}}));
  const auto& samples = rig.loop->plan().samples;
  ASSERT_EQ(samples.size(), 4u);
  std::set<std::uint64_t> seeds;
  for (const auto& row : samples) {
    EXPECT_EQ(row.row, 0u);
    EXPECT_EQ(row.position, 100);
    seeds.insert(row.seed);
  }
  EXPECT_EQ(seeds.size(), 4u);
  EXPECT_EQ(rig.events_of(1).size(), 4u);
}

TEST(Choices, ForkFromTheOneThatComputedThePrompt) {
  Rig rig;
  rig.admit(choices(rig, 1, 40, 3, 6));
  rig.turn();
  const auto leader = rig.loop->plan().segments.at(0).sequence;
  rig.turn();
  int forks = 0;
  for (const auto& want : rig.loop->request().wants)
    if (want.fork_of) {
      EXPECT_EQ(*want.fork_of, leader);
      EXPECT_EQ(want.max_cached_tokens, 40);
      EXPECT_EQ(want.num_tokens, 41);
      ++forks;
    }
  EXPECT_EQ(forks, 2);
  ASSERT_EQ(rig.loop->request().publishes.size(), 1u);
  EXPECT_EQ(rig.loop->request().publishes[0].sequence, leader);
  EXPECT_EQ(rig.loop->request().publishes[0].token_ids.size(), 40u);
}

TEST(Choices, AreTheTokensOfSeparateRequestsWhateverComesBetween) {
  for (const std::int64_t chunk : {7, 512})
    for (const std::int64_t blocks : {8, 64}) {
      Rig rig({{"prefill_chunk", chunk}}, Rig::executor_of(blocks));
      rig.sampler.change = draw_by_seed;
      rig.admit(choices(rig, 1, 30, 4, 20));
      rig.admit(choices(rig, 2, 20, 3, 20));
      rig.run();
      for (std::int32_t choice = 0; choice < 4; ++choice)
        EXPECT_EQ(rig.tokens_of(1, choice), choice_alone(1, 30, choice, 20)) << chunk << blocks;
      for (std::int32_t choice = 0; choice < 3; ++choice)
        EXPECT_EQ(rig.tokens_of(2, choice), choice_alone(2, 20, choice, 20)) << chunk << blocks;
    }
}

TEST(Choices, WhoseLeaderEndsWithItsFirstTokenGoOn) {
  Rig rig;
  rig.sampler.change = [](const SampleRow& row, SampledToken& token) {
    token.token = row.seed == 11 ? 63 : 7;  // choice 0 draws the stop token
  };
  auto draft = choices(rig, 1, 40, 3, 5);
  draft->stop.stop_token_ids = {63};
  rig.admit(draft);
  rig.run();
  EXPECT_EQ(rig.tokens_of(1, 0).size(), 1u);
  EXPECT_EQ(rig.tokens_of(1, 1).size(), 5u);
  EXPECT_EQ(rig.tokens_of(1, 2).size(), 5u);
}

TEST(Choices, ThatAllEndWithTheirFirstTokenNeedOneStep) {
  Rig rig;
  rig.admit(choices(rig, 1, 40, 4, 1));
  rig.run();
  EXPECT_EQ(rig.scheduler->stats().steps, 1);
  EXPECT_EQ(rig.events_of(1).size(), 4u);
}

TEST(Choices, AFollowerWhoseTokenCannotBeDrawnEndsTheRequest) {
  Rig rig;
  rig.sampler.change = [](const SampleRow& row, SampledToken& token) {
    if (row.params->seed && row.seed != 11)
      token.error = Error(ErrorCode::internal, "no candidate");
  };
  rig.admit(choices(rig, 1, 40, 3, 5));
  rig.admit(2, 10, 5);
  rig.run();
  EXPECT_EQ(rig.end_of(1).error->message(), "no candidate");
  EXPECT_EQ(rig.tokens_of(2), alone(2, 10, 5));
}

TEST(Choices, ComeBackExactlyAfterFaultsAtAnyTurn) {
  for (int when = 0; when < 12; ++when) {
    Rig rig({{"prefill_chunk", 8}});
    rig.sampler.change = draw_by_seed;
    rig.admit(choices(rig, 1, 30, 3, 6));
    for (int i = 0; i < when && rig.scheduler->has_work(); ++i)
      rig.turn();
    rig.scheduler->step_lost(rig.now());
    rig.cache.reset();
    rig.executor.forget();
    rig.check();
    rig.executor.on_step = [&, failing = rig.executor.steps + 2](const StepPlan&) {
      return rig.executor.steps == failing ? std::optional(Error(ErrorCode::device, "a fault"))
                                           : std::nullopt;
    };
    rig.run();
    for (std::int32_t choice = 0; choice < 3; ++choice)
      EXPECT_EQ(rig.tokens_of(1, choice), choice_alone(1, 30, choice, 6)) << when;
  }
}

TEST(Choices, GoOnInAnotherSchedulerFromTheJournal) {
  for (int when = 0; when < 12; ++when) {
    Rig first({{"prefill_chunk", 8}}), second;
    for (Rig* rig : {&first, &second})
      rig->sampler.change = draw_by_seed;
    first.admit(choices(first, 1, 30, 3, 6));
    for (int i = 0; i < when && first.scheduler->has_work(); ++i)
      first.turn();
    ASSERT_TRUE(second.scheduler->restore(first.scheduler->journal(), first.now()));
    second.events = first.events;
    second.check();
    second.run();
    for (std::int32_t choice = 0; choice < 3; ++choice)
      EXPECT_EQ(second.tokens_of(1, choice), choice_alone(1, 30, choice, 6)) << when;
  }
}

TEST(Choices, CancelledAtAnyTurnLeaveNothing) {
  for (int when = 0; when < 8; ++when) {
    Rig rig({{"prefill_chunk", 8}, {"max_num_seqs", 2}});
    rig.admit(choices(rig, 1, 30, 4, 6));
    for (int i = 0; i < when; ++i)
      rig.turn();
    rig.cancel(1);
    rig.run();
    EXPECT_EQ(rig.end_of(1).finish, FinishReason::cancelled);
    EXPECT_EQ(rig.scheduler->stats().waiting + rig.scheduler->stats().running, 0);
  }
}

}  // namespace
}  // namespace troupe::continuous
