#include "runtime_fixture.h"

#include <atomic>
#include <thread>

namespace troupe::testing {
namespace {

using Shutdown = RuntimeTest;

TEST_F(Shutdown, EndsInTwoHundredCyclesInEveryState) {
  for (int cycle = 0; cycle < 200; ++cycle) {
    auto engine = open(plain_pipeline());
    ASSERT_TRUE(engine);
    std::atomic<int> ended{0};
    const int count = cycle % 4;
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(engine->submit(request("hello", 200),
                                 [&](const TokenEvent& event) { ended += event.last; }));
    auto closed = engine->close(std::chrono::milliseconds(cycle % 2 ? 1000 : 0));
    ASSERT_TRUE(closed) << closed.error().message();
    EXPECT_EQ(ended, count);
  }
}

TEST_F(Shutdown, LetsRunningRequestsEndWithinTheLimit) {
  script().executor_step_us = 200;
  auto engine = open(plain_pipeline());
  Answer answer;
  std::atomic<bool> ended{false};
  ASSERT_TRUE(engine->submit(request("hello", 40), [&](const TokenEvent& event) {
    answer.add(event);
    ended = event.last;
  }));
  ASSERT_TRUE(engine->close(std::chrono::seconds(30)));
  ASSERT_TRUE(ended);
  EXPECT_EQ(answer.choices.at(0).token_ids, expected_ids("hello", 40));
}

TEST_F(Shutdown, CancelsWhatTheLimitCutsShort) {
  script().executor_step_us = 2000;
  auto engine = open(plain_pipeline());
  std::atomic<FinishReason> finish{FinishReason::none};
  ASSERT_TRUE(engine->submit(request("hello", 1000), [&](const TokenEvent& event) {
    if (event.last) finish = event.finish;
  }));
  ASSERT_TRUE(engine->close(std::chrono::milliseconds(20)));
  EXPECT_EQ(finish, FinishReason::cancelled);
}

TEST_F(Shutdown, ADrainUnderWayCanBeEndedFromAnotherThread) {
  script().executor_step_us = 1000;
  auto engine = open(plain_pipeline());
  std::atomic<FinishReason> finish{FinishReason::none};
  ASSERT_TRUE(engine->submit(request("hello", 1000), [&](const TokenEvent& event) {
    if (event.last) finish = event.finish;
  }));
  std::thread impatient([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    engine->end_drain();
  });
  ASSERT_TRUE(engine->close(std::chrono::hours(1)));
  impatient.join();
  EXPECT_EQ(finish, FinishReason::cancelled);
}

TEST_F(Shutdown, RefusesNewRequestsWhileThoseUnderWayGoOn) {
  script().executor_step_us = 200;
  auto engine = open(plain_pipeline());
  std::atomic<FinishReason> finish{FinishReason::none};
  ASSERT_TRUE(engine->submit(request("hello", 40), [&](const TokenEvent& event) {
    if (event.last) finish = event.finish;
  }));
  engine->refuse_new();
  const auto refused = engine->submit(request("hello"), [](const TokenEvent&) {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::cancelled);
  ASSERT_TRUE(becomes_idle(*engine));
  EXPECT_EQ(finish, FinishReason::length);
}

TEST_F(Shutdown, RefusesRequestsAfterwards) {
  auto engine = open(plain_pipeline());
  ASSERT_TRUE(engine->close(std::chrono::milliseconds(0)));
  const auto id = engine->submit(request("hello"), [](const TokenEvent&) {});
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().code(), ErrorCode::cancelled);
  EXPECT_TRUE(engine->close(std::chrono::milliseconds(0)));
}

TEST_F(Shutdown, SaysSoWhenAnOperatorNeverReturns) {
  auto engine = open(plain_pipeline());
  script().executor_blocks = true;
  std::atomic<bool> ended{false};
  ASSERT_TRUE(
      engine->submit(request("hello"), [&](const TokenEvent& event) { ended = event.last; }));
  while (engine->in_flight() == 0)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto closed = engine->close(std::chrono::milliseconds(0));
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code(), ErrorCode::internal);
  EXPECT_TRUE(ended);
  script().executor_blocks = false;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace
}  // namespace troupe::testing
