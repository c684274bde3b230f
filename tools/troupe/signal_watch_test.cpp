#include "signal_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <unistd.h>

namespace troupe::program {
namespace {

bool reaches(const std::atomic<int>& count, int expected) {
  for (int i = 0; i < 2000 && count != expected; ++i)
    usleep(1000);
  return count == expected;
}

TEST(SignalWatch, HandsEachSignalToTheActionWithItsNumber) {
  SignalWatch watch(3);
  std::atomic<int> seen{0};
  watch.set_action([&](int count) { seen = count; });
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(reaches(seen, 1));
  kill(getpid(), SIGINT);
  EXPECT_TRUE(reaches(seen, 2));
}

TEST(SignalWatch, CountsAnewForEveryAction) {
  SignalWatch watch(3);
  std::atomic<int> first{0}, second{0};
  watch.set_action([&](int count) { first = count; });
  kill(getpid(), SIGINT);
  EXPECT_TRUE(reaches(first, 1));
  watch.set_action([&](int count) { second = count; });
  kill(getpid(), SIGINT);
  EXPECT_TRUE(reaches(second, 1));
  EXPECT_EQ(first, 1);
}

TEST(SignalWatch, WithoutAnActionEndsTheProcessWithTheGivenCode) {
  EXPECT_EXIT(
      {
        SignalWatch watch(7);
        kill(getpid(), SIGTERM);
        sleep(10);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(SignalWatch, GivesSignalsBackTheirEffectWhenItEnds) {
  EXPECT_EXIT(
      {
        { SignalWatch watch(7); }
        kill(getpid(), SIGTERM);
        sleep(10);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace troupe::program
