#include "bench/step_clock.h"

#include <gtest/gtest.h>

namespace troupe::program {
namespace {

using std::chrono::microseconds;

StepClock::Mark step(int begin_us, int end_us, std::size_t sequences, std::size_t tokens) {
  const std::chrono::steady_clock::time_point start{};
  return {StepPart::execute, start + microseconds(begin_us), start + microseconds(end_us),
          sequences, tokens};
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

TEST(StepClock, TellsWhatAGapIsMadeOf) {
  const std::chrono::steady_clock::time_point start{};
  StepClock clock(8);
  const auto add = [&](StepPart part, int begin_us, int end_us) {
    clock.add({part, start + microseconds(begin_us), start + microseconds(end_us), 1, 1});
  };
  add(StepPart::execute, 0, 10);
  add(StepPart::sample, 11, 13);
  add(StepPart::complete, 16, 20);
  add(StepPart::want, 25, 31);
  add(StepPart::reserve, 38, 46);
  add(StepPart::plan, 55, 65);
  add(StepPart::execute, 76, 80);
  const auto shares = clock.shares(1, 0);
  EXPECT_EQ(shares.part_us, (std::array<double, kNumStepParts>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(shares.hop_us, (std::array<double, kNumStepParts>{11, 1, 3, 5, 7, 9}));
}

}  // namespace
}  // namespace troupe::program
