#include "troupe/device/available_cores.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <thread>

namespace troupe {
namespace {

TEST(AvailableCores, RoundsAQuotaUpToWholeCores) {
  EXPECT_EQ(cores_of_quota("200000 100000"), 2);
  EXPECT_EQ(cores_of_quota("150000 100000"), 2);
  EXPECT_EQ(cores_of_quota("1000 100000"), 1);
}

TEST(AvailableCores, TakesNoLimitFromMaxOrGarbage) {
  for (const auto* text : {"max 100000", "", "100000", "-5 100", "7 0", "1e300 1", "nan 1", "x y"})
    EXPECT_EQ(cores_of_quota(text), 0) << text;
}

TEST(AvailableCores, FollowsTheAffinityOfTheThread) {
  int inside = 0;
  std::thread([&] {
    cpu_set_t all, one;
    CPU_ZERO(&all);
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all))
      ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    inside = available_cores();
  }).join();
  EXPECT_EQ(inside, 1);
  EXPECT_GE(available_cores(), 1);
}

}  // namespace
}  // namespace troupe
