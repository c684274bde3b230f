#include "test_rig.h"

namespace troupe::continuous {
namespace {

TEST(Refusals, AFullQueueSaysWhenSoManySeatsWillBeFree) {
  Rig rig({{"max_waiting", 4}, {"max_choices", 4}, {"max_num_seqs", 1}});
  for (std::uint64_t id = 1; id <= 4; ++id)
    rig.admit(id, 5, 3);
  while (rig.events_of(2).empty() || !rig.events_of(2).back().last)
    rig.turn();  // an answer ends every three turns of a millisecond
  for (std::uint64_t id = 5; id <= 6; ++id)
    rig.admit(id, 5, 3);
  auto many = rig.draft(7, 5);
  many->n = 4;
  rig.admit(many);  // four wait, and four are allowed
  EXPECT_EQ(rig.end_of(7).error->code(), ErrorCode::resource_exhausted);
  EXPECT_EQ(rig.end_of(7).retry_after_ms, 3.0 * 4);
  rig.run();
}

TEST(Refusals, OneTenantMayNotFillTheQueue) {
  Rig rig({{"max_waiting_per_tenant", 8}, {"max_num_seqs", 1}});
  const auto admit = [&](std::uint64_t id, const char* tenant) {
    auto draft = rig.draft(id, 5);
    draft->tenant = tenant;
    draft->stop.max_tokens = 2;
    rig.admit(draft);
  };
  for (std::uint64_t id = 1; id <= 9; ++id)
    admit(id, "a");
  admit(10, "b");
  EXPECT_EQ(rig.end_of(9).error->message(),
            "the queue of this tenant is full: 8 sequences wait, at most 8 may; try again later");
  EXPECT_GT(rig.end_of(9).retry_after_ms, 0);
  rig.run();
  EXPECT_EQ(rig.scheduler->stats().refused, 1);
  EXPECT_EQ(rig.tokens_of(10), alone(10, 5, 2));
}

/// Two requests have run, 100 us per prompt token; three more wait for the one seat.
void fill(Rig& rig) {
  rig.executor.timings = [](const StepPlan& plan) {
    StepTimings timings;
    timings.total_us = 100.0 * static_cast<double>(plan.token_ids.size());
    return timings;
  };
  for (std::uint64_t id = 1; id <= 2; ++id) {
    rig.admit(id, 50, 10);
    rig.run();
  }
  for (std::uint64_t id = 3; id <= 6; ++id)
    rig.admit(id, 50, 10);
  rig.turn();
}

Rig::Draft with_deadline(const Rig& rig, std::int64_t ms) {
  auto draft = rig.draft(9, 50);
  draft->stop.max_tokens = 5;
  draft->deadline = rig.now() + std::chrono::milliseconds(ms);
  return draft;
}

TEST(Refusals, ADeadlineThatTheQueueMakesUnreachableIsRefusedWhenAskedFor) {
  Rig rig({{"refuse_late", true}, {"max_num_seqs", 1}});
  fill(rig);
  // Three wait, each 10 turns of a millisecond, and four prompts of 5 ms are to be computed.
  rig.admit(with_deadline(rig, 20));
  EXPECT_EQ(rig.end_of(9).error->code(), ErrorCode::deadline);
  EXPECT_NE(rig.end_of(9).error->message().find("the deadline is in 20 ms"), std::string::npos);
  EXPECT_GT(rig.end_of(9).retry_after_ms, 0);
  rig.run();
}

TEST(Refusals, ADeadlineThatCanBeMetIsNot) {
  Rig rig({{"refuse_late", true}, {"max_num_seqs", 1}});
  fill(rig);
  rig.admit(with_deadline(rig, 500));
  EXPECT_TRUE(rig.events_of(9).empty());
  rig.run();
  EXPECT_EQ(rig.end_of(9).finish, FinishReason::length);
}

TEST(Refusals, NothingIsEstimatedUnlessAskedFor) {
  Rig rig({{"max_num_seqs", 1}});
  fill(rig);
  rig.admit(with_deadline(rig, 20));
  EXPECT_TRUE(rig.events_of(9).empty());
}

}  // namespace
}  // namespace troupe::continuous
