#include "bench/figures.h"

#include <gtest/gtest.h>

namespace troupe::program {
namespace {

TEST(Quantile, IsTheNearestRank) {
  EXPECT_EQ(quantile({3, 1}, 0.5), 1);
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(quantile({3, 1, 2}, 0), 1);
  EXPECT_EQ(quantile({3, 1, 2}, 1), 3);
}

TEST(Quantile, OfFewValuesTheTailIsTheLargest) {
  EXPECT_EQ(quantile({1, 9}, 0.99), 9);
  std::vector<double> values(64, 1.0);
  values[5] = 70;
  EXPECT_EQ(quantile(values, 0.99), 70);
}

TEST(Quantile, OfNothingIsZero) {
  EXPECT_EQ(quantile({}, 0.5), 0);
}

}  // namespace
}  // namespace troupe::program
