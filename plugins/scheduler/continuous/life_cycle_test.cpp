#include "test_rig.h"

namespace troupe::continuous {
namespace {

void expect_nothing_left(Rig& rig) {
  rig.run();
  const auto stats = rig.scheduler->stats();
  EXPECT_EQ(stats.waiting + stats.running, 0);
  EXPECT_FALSE(rig.scheduler->next_deadline());
  EXPECT_TRUE(rig.scheduler->journal().entries.empty());
  EXPECT_EQ(rig.cache.stats().blocks_free, rig.cache.stats().blocks_total);
}

int ends_of(const Rig& rig, std::uint64_t id) {
  int ends = 0;
  for (const auto& event : rig.events_of(id))
    ends += event.last ? 1 : 0;
  return ends;
}

// D32: abort in every state: queued, prefilling at chunk k, decoding.
TEST(Cancel, GivesEverythingBackInEveryState) {
  for (int turns = 0; turns < 12; ++turns) {
    Rig rig({{"prefill_chunk", 8}, {"max_num_seqs", 1}});
    rig.admit(1, 40, 5);
    rig.admit(2, 10, 3);
    for (int i = 0; i < turns && rig.scheduler->has_work(); ++i)
      rig.turn();
    rig.cancel(1);
    rig.cancel(1);
    expect_nothing_left(rig);
    EXPECT_EQ(ends_of(rig, 1), 1) << turns;
    EXPECT_EQ(rig.end_of(1).finish, turns < 9 ? FinishReason::cancelled : FinishReason::length);
    EXPECT_EQ(rig.tokens_of(2), alone(2, 10, 3)) << turns;
  }
}

TEST(Cancel, WhileAStepIsUnderWayLeavesTheOthersOfTheStepAlone) {
  Rig rig;
  rig.admit(1, 10, 5);
  rig.admit(2, 20, 5);
  rig.executor.on_step = [&](const StepPlan&) -> std::optional<Error> {
    if (rig.executor.steps == 3)
      rig.scheduler->cancel(RequestId{1}, std::nullopt, rig.now(), rig.events);
    return std::nullopt;
  };
  expect_nothing_left(rig);
  EXPECT_EQ(rig.end_of(1).finish, FinishReason::cancelled);
  EXPECT_EQ(rig.tokens_of(1).size(), 2u);
  EXPECT_EQ(rig.tokens_of(2), alone(2, 20, 5));
}

TEST(Cancel, AfterTheEndOrOfNothingIsNoEvent) {
  Rig rig;
  rig.admit(1, 5, 2);
  rig.run();
  const auto before = rig.events.events.size();
  rig.cancel(1);
  rig.cancel(99, Error(ErrorCode::internal, "x"));
  EXPECT_EQ(rig.events.events.size(), before);
  EXPECT_FALSE(rig.scheduler->has_work());
}

TEST(Cancel, WithAnErrorTellsItAndCountsItAsFailed) {
  Rig rig;
  rig.admit(1, 5, 20);
  rig.turn();
  rig.cancel(1, Error(ErrorCode::comm, "the client's node is gone"));
  EXPECT_EQ(rig.end_of(1).finish, FinishReason::error);
  EXPECT_EQ(rig.end_of(1).error->message(), "the client's node is gone");
  EXPECT_EQ(rig.end_of(1).usage.completion_tokens, 1);
  EXPECT_EQ(rig.scheduler->stats().failed, 1);
  EXPECT_EQ(rig.scheduler->stats().cancelled, 0);
  expect_nothing_left(rig);
}

TEST(Cancel, EndsAllChoicesWithOneEvent) {
  Rig rig({{"max_num_seqs", 2}});
  auto draft = rig.draft(1, 20);
  draft->n = 4;
  rig.admit(draft);
  rig.turn();  // two run, two wait
  rig.cancel(1);
  EXPECT_EQ(ends_of(rig, 1), 1);
  expect_nothing_left(rig);
}

TEST(Cancel, ARequestWhoseClientWentAwayIsNotStarted) {
  Rig rig;
  auto draft = rig.draft(1, 20);
  rig.admit(draft);
  rig.admit(2, 10, 3);
  draft->context->cancelled = true;
  rig.turn();
  EXPECT_EQ(rig.end_of(1).finish, FinishReason::cancelled);
  EXPECT_EQ(rig.segments().size(), 1u);
  expect_nothing_left(rig);
  EXPECT_EQ(rig.tokens_of(2), alone(2, 10, 3));
}

TEST(Cancel, StormsLeaveNothingBehind) {
  Rig rig({{"prefill_chunk", 8}}, Rig::executor_of(10));
  for (std::uint64_t id = 1; id <= 300; ++id) {
    rig.admit(id, 1 + id % 50, 1 + static_cast<std::int64_t>(id % 9));
    if (id % 3 == 0) rig.turn();
    if (id % 2 == 0) rig.cancel(id - id % 7);
  }
  expect_nothing_left(rig);
  for (std::uint64_t id = 1; id <= 300; ++id)
    EXPECT_EQ(ends_of(rig, id), 1) << id;
}

TEST(Deadline, EndsARequestWhereverItIs) {
  Rig rig({{"max_num_seqs", 1}});
  for (std::uint64_t id = 1; id <= 3; ++id) {
    auto draft = rig.draft(id, 5);
    draft->stop.max_tokens = 50;
    if (id < 3) draft->deadline = rig.now() + std::chrono::milliseconds(id == 1 ? 10 : 6);
    rig.admit(draft);
  }
  EXPECT_EQ(rig.scheduler->next_deadline(), Time(std::chrono::milliseconds(6)));
  while (rig.scheduler->has_work()) {
    rig.turn();
    if (const auto due = rig.scheduler->next_deadline(); due && *due <= rig.now())
      rig.scheduler->expire(rig.now(), rig.events);
  }
  EXPECT_EQ(rig.end_of(2).error->code(), ErrorCode::deadline);
  EXPECT_EQ(rig.end_of(2).error->message(), "the deadline passed after 6 ms in the queue");
  EXPECT_EQ(rig.end_of(1).error->message(), "the deadline passed after 10 ms with 10 tokens made");
  EXPECT_EQ(rig.end_of(1).timings.e2e_ms, 10);
  EXPECT_EQ(rig.end_of(3).finish, FinishReason::length);
  expect_nothing_left(rig);
}

TEST(Deadline, OfAFinishedRequestIsForgotten) {
  Rig rig;
  auto draft = rig.draft(1, 5);
  draft->stop.max_tokens = 2;
  draft->deadline = rig.now() + std::chrono::hours(1);
  rig.admit(draft);
  EXPECT_TRUE(rig.scheduler->next_deadline());
  rig.run();
  EXPECT_FALSE(rig.scheduler->next_deadline());
}

}  // namespace
}  // namespace troupe::continuous
