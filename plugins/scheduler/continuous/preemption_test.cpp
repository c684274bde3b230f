#include "test_rig.h"

namespace troupe::continuous {
namespace {

// D29: two requests that each fit alone but not together: one after the other, without going in
// circles.
TEST(Preemption, TwoThatFitAloneButNotTogetherBothFinish) {
  Rig rig({}, Rig::executor_of(6));
  rig.admit(1, 30, 50, 3);  // grows to 5 blocks
  rig.admit(2, 30, 50, 4);
  int idle = 0;
  for (int turns = 0; rig.scheduler->has_work(); ++turns) {
    ASSERT_LT(turns, 300);
    idle = rig.turn() ? 0 : idle + 1;
    EXPECT_LE(idle, 1) << "an empty turn while work waits";
  }
  EXPECT_EQ(rig.tokens_of(1), alone(1, 30, 50, 3));
  EXPECT_EQ(rig.tokens_of(2), alone(2, 30, 50, 4));
  EXPECT_EQ(rig.scheduler->stats().preemptions, 1);
  EXPECT_EQ(rig.cache.stats().blocks_used, 0);
}

TEST(Preemption, TheLastArrivalGivesWay) {
  Rig rig({}, Rig::executor_of(6));
  for (std::uint64_t id = 1; id <= 3; ++id)
    rig.admit(id, 30, 30);
  while (rig.scheduler->stats().preemptions == 0)
    rig.turn();
  rig.turn();
  EXPECT_EQ(rig.scheduler->stats().running, 2);
  while (rig.events_of(1).empty() || !rig.events_of(1).back().last)
    rig.turn();
  EXPECT_LT(rig.tokens_of(3).size(), rig.tokens_of(2).size());
  rig.run();
  for (std::uint64_t id = 1; id <= 3; ++id)
    EXPECT_EQ(rig.tokens_of(id), alone(id, 30, 30)) << id;
}

// D30: preempted work resumes before later arrivals, however many there are.
TEST(Preemption, ThePreemptedResumesBeforeLaterArrivals) {
  Rig rig({}, Rig::executor_of(5));
  rig.admit(1, 30, 30);
  rig.admit(2, 30, 30);
  while (rig.scheduler->stats().preemptions == 0)
    rig.turn();
  const auto had = rig.tokens_of(2).size();
  std::uint64_t next = 3;
  for (int turns = 0; rig.tokens_of(2).size() == had; ++turns) {
    ASSERT_LT(turns, 500);
    if (turns % 2 == 0) rig.admit(next++, 3, 5);
    for (std::uint64_t id = 3; id < next; ++id)
      EXPECT_TRUE(rig.events_of(id).empty()) << id << " overtook the preempted request";
    rig.turn();
  }
  EXPECT_GT(next, 8u);
  rig.run();
  for (std::uint64_t id = 3; id < next; ++id)
    EXPECT_EQ(rig.tokens_of(id), alone(id, 3, 5));
}

TEST(Preemption, IsBoundedByTheNumberOfEarlierArrivals) {
  Rig rig({}, Rig::executor_of(8));
  for (std::uint64_t id = 1; id <= 8; ++id)
    rig.admit(id, 14, 100);
  rig.run();
  EXPECT_LE(rig.scheduler->stats().preemptions, 8 * 7 / 2);
  for (std::uint64_t id = 1; id <= 8; ++id)
    EXPECT_EQ(rig.tokens_of(id), alone(id, 14, 100)) << id;
}

TEST(Preemption, AResumedRequestAsksForItsWholeLengthAtOnce) {
  Rig rig({{"prefill_chunk", 8}}, Rig::executor_of(6));
  rig.admit(1, 30, 60, 3);
  rig.admit(2, 30, 60, 4);
  while (rig.scheduler->stats().preemptions == 0)
    rig.turn();
  const auto had = rig.tokens_of(2).size();
  std::vector<BlockRequest::Want> first_wants;  // of the resumed sequence
  while (rig.scheduler->has_work()) {
    rig.turn();
    for (const auto& want : rig.loop->request().wants)
      if (!want.token_ids.empty()) first_wants.push_back(want);
  }
  ASSERT_FALSE(first_wants.empty());
  for (const auto& want : first_wants)
    EXPECT_EQ(want.num_tokens, static_cast<std::int32_t>(30 + had));
}

// Blocks may look free meanwhile, as those of a shared prefix do. Without this rule the two take
// them from each other in turn, at every block that one of them fills.
TEST(Preemption, ThePreemptedAsksForNothingUntilAnotherHasLeft) {
  Rig rig({}, Rig::executor_of(6));
  rig.admit(1, 30, 50, 3);
  rig.admit(2, 30, 50, 4);
  while (rig.scheduler->stats().preemptions == 0)
    rig.turn();
  while (true) {
    rig.turn();
    if (rig.events_of(1).back().last) break;
    for (const auto& want : rig.loop->request().wants)
      EXPECT_TRUE(want.token_ids.empty()) << "the preempted sequence asks for blocks";
  }
  rig.run();
  EXPECT_EQ(rig.tokens_of(2), alone(2, 30, 50, 4));
}

TEST(Preemption, ACacheSmallerThanPromisedFailsTheRequestAndNotTheLoop) {
  Rig rig;  // the executor says 64 blocks
  rig.cache = testing::PlainCache(2);
  rig.admit(1, 10, 100);
  rig.admit(2, 60, 5);  // can never be admitted
  rig.admit(3, 10, 5);
  rig.run();
  EXPECT_EQ(rig.end_of(1).error->code(), ErrorCode::resource_exhausted);
  EXPECT_EQ(rig.tokens_of(1).size(), 23u);  // 33 tokens, the last of them without a slot
  EXPECT_EQ(rig.end_of(1).error->message(),
            "the KV cache lacks 1 blocks for 33 tokens, with nothing else running");
  EXPECT_EQ(rig.end_of(2).error->code(), ErrorCode::resource_exhausted);
  EXPECT_EQ(rig.tokens_of(3), alone(3, 10, 5));
}

}  // namespace
}  // namespace troupe::continuous
