#include "troupe/actors/restart_budget.h"

#include <gtest/gtest.h>

namespace troupe::actors {
namespace {

using std::chrono::seconds;

TEST(RestartBudget, AllowsSoManyRestartsWithinTheWindow) {
  RestartBudget budget({.policy = pipeline::RestartPolicy::always, .max = 2, .window_s = 10});
  const Time start{};
  EXPECT_TRUE(budget.take(start));
  EXPECT_TRUE(budget.take(start + seconds(9)));
  EXPECT_FALSE(budget.take(start + seconds(9)));
  EXPECT_TRUE(budget.take(start + seconds(10)));  // the first has left the window
  EXPECT_FALSE(budget.take(start + seconds(18)));
  EXPECT_TRUE(budget.take(start + seconds(19)));
}

TEST(RestartBudget, NeverAllowsOneWithPolicyNever) {
  RestartBudget budget({.policy = pipeline::RestartPolicy::never, .max = 9, .window_s = 10});
  EXPECT_FALSE(budget.take(Time{}));
}

TEST(RestartBudget, DoesNotCountARefusedRestart) {
  RestartBudget budget({.policy = pipeline::RestartPolicy::always, .max = 1, .window_s = 10});
  EXPECT_TRUE(budget.take(Time{}));
  for (int i = 0; i < 9; ++i)
    EXPECT_FALSE(budget.take(Time{} + seconds(i)));
  EXPECT_TRUE(budget.take(Time{} + seconds(10)));
}

}  // namespace
}  // namespace troupe::actors
