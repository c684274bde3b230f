#include "hard_stop.h"

#include "command_line.h"

#include <gtest/gtest.h>

#include <chrono>
#include <unistd.h>

namespace troupe::program {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(HardStop, EndsTheProcessAtTheSoonestTimeThatWasSet) {
  EXPECT_EXIT(
      {
        HardStop stop;
        stop.set(hours(1));
        stop.set(milliseconds(10));
        stop.set(hours(2));
        pause();
      },
      ::testing::ExitedWithCode(kRunFailed), "the time for it is over");
}

TEST(HardStop, LetsTheProcessGoOnWhenItIsDestroyedBefore) {
  for (int i = 0; i < 100; ++i) {
    HardStop stop;
    stop.set(hours(1));
  }
  const HardStop never_set;
}

}  // namespace
}  // namespace troupe::program
