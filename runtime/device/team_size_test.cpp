#include "troupe/device/team_size.h"

#include <gtest/gtest.h>

#include <random>

namespace troupe {
namespace {

using std::chrono::milliseconds;

/// A clock of its own and the sizes chosen; a run takes its work divided by the workers, plus what
/// is waited when more than `free_cores` take part.
struct Machine {
  explicit Machine(int largest) : size(largest) {}

  int run(milliseconds waited_when_crowded) {
    const int workers = size.next(now);
    const milliseconds waited = workers > free_cores ? waited_when_crowded : milliseconds(0);
    const auto total = milliseconds(8) / workers + waited;
    now += total;
    size.report(now, total, waited);
    return workers;
  }

  TeamSize size;
  TeamSize::Clock::time_point now{};
  int free_cores = 1;
};

TEST(TeamSize, UsesAllWorkersWhileNobodyWaits) {
  Machine machine(8);
  machine.free_cores = 8;
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(machine.run(milliseconds(50)), 8);
}

TEST(TeamSize, ForgivesOneBadRunOfFour) {
  Machine machine(2);
  for (int i = 0; i < 100; ++i) {
    machine.free_cores = i % 4 == 0 ? 1 : 2;
    EXPECT_EQ(machine.run(milliseconds(50)), 2);
  }
}

TEST(TeamSize, ForgivesShortWaitsAndWaitsOfLessThanHalfTheRun) {
  TeamSize size(2);
  TeamSize::Clock::time_point now{};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(size.next(now), 2);
    if (i % 2 == 0)
      size.report(now, std::chrono::microseconds(21), std::chrono::microseconds(20));
    else
      size.report(now, milliseconds(20), milliseconds(10));
  }
}

TEST(TeamSize, IsOneAfterTwoBadRunsOfTwo) {
  Machine machine(2);
  EXPECT_EQ(machine.run(milliseconds(50)), 2);
  EXPECT_EQ(machine.run(milliseconds(50)), 2);
  EXPECT_EQ(machine.run(milliseconds(50)), 1);
}

TEST(TeamSize, HalvesUntilTheFreeCoresSuffice) {
  for (const int free_cores : {1, 2, 3, 5}) {
    Machine machine(11);  // sizes 11, 5, 2, 1
    machine.free_cores = free_cores;
    for (int i = 0; i < 6; ++i)
      machine.run(milliseconds(100));
    EXPECT_EQ(machine.run(milliseconds(100)), free_cores == 3 ? 2 : free_cores);
  }
}

TEST(TeamSize, LosesASmallShareToTrialsHoweverShortARunIs) {
  for (const auto crowded : {milliseconds(5), milliseconds(9), milliseconds(60)}) {
    Machine machine(2);
    TeamSize::Clock::duration in_trials{};
    const auto start = machine.now;
    for (int i = 0; i < 5000; ++i) {
      const auto before = machine.now;
      if (machine.run(crowded) == 2) in_trials += machine.now - before;
    }
    EXPECT_LT(in_trials * 10, machine.now - start) << crowded.count();
  }
}

TEST(TeamSize, ReturnsToAllWorkersWithinTwoSecondsPerHalving) {
  Machine machine(8);
  for (int i = 0; i < 1000; ++i)
    machine.run(milliseconds(200));
  machine.free_cores = 8;
  const auto quiet_since = machine.now;
  while (machine.run(milliseconds(0)) != 8)
    ASSERT_LT(machine.now - quiet_since, std::chrono::seconds(7));
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(machine.run(milliseconds(0)), 8);
}

TEST(TeamSize, StaysInItsRangeWhateverIsReported) {
  std::mt19937 random(7);
  for (const int largest : {1, 2, 3, 64, 1024}) {
    TeamSize size(largest);
    TeamSize::Clock::time_point now{};
    for (int i = 0; i < 2000; ++i) {
      const int workers = size.next(now);
      ASSERT_GE(workers, 1);
      ASSERT_LE(workers, largest);
      now += milliseconds(random() % 100);
      size.report(now, milliseconds(random() % 100), milliseconds(random() % 200));
    }
  }
}

}  // namespace
}  // namespace troupe
