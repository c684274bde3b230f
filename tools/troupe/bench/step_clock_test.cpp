#include "bench/step_clock.h"

#include <gtest/gtest.h>

namespace troupe::program {
namespace {

using std::chrono::microseconds;

StepClock::Step step(int begin_us, int end_us, std::size_t sequences, std::size_t tokens) {
  const std::chrono::steady_clock::time_point start{};
  return {start + microseconds(begin_us), start + microseconds(end_us), sequences, tokens};
}

TEST(StepClock, MeasuresFromTheEndOfAStepToTheBeginningOfTheNext) {
  StepClock clock(3);
  clock.add(step(0, 10, 1, 1));
  clock.add(step(17, 20, 1, 1));
  clock.add(step(22, 30, 1, 1));
  EXPECT_EQ(clock.gaps_us(1, 0), (std::vector<double>{2, 7}));
}

TEST(StepClock, CountsOnlyStepsWithOneTokenForEverySequence) {
  StepClock clock(5);
  clock.add(step(0, 1, 2, 9));   // a prompt is in it
  clock.add(step(2, 3, 2, 2));   // after a prompt
  clock.add(step(7, 8, 2, 2));   // counts: 4 us
  clock.add(step(9, 10, 1, 1));  // one sequence has ended
  EXPECT_EQ(clock.gaps_us(2, 0), (std::vector<double>{4}));
}

TEST(StepClock, LeavesOutTheFirstStepsHoweverFewThereAre) {
  StepClock clock(3);
  clock.add(step(0, 1, 1, 1));
  clock.add(step(3, 4, 1, 1));
  EXPECT_TRUE(clock.gaps_us(1, 100).empty());
  EXPECT_TRUE(StepClock(0).gaps_us(1, 0).empty());
}

}  // namespace
}  // namespace troupe::program
