#include "troupe/engine/row_logprobs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace troupe {
namespace {

TEST(LogSumExp, OfEqualLogitsIsTheLogitAndTheLogarithmOfTheirNumber) {
  const float row[] = {2.0f, 2.0f, 2.0f, 2.0f};
  EXPECT_NEAR(log_sum_exp(row), 2.0 + std::log(4.0), 1e-12);
}

TEST(LogSumExp, NeitherOverflowsNorVanishesForLargeLogits) {
  const float high[] = {6e4f, 6e4f};
  const float low[] = {-6e4f, -6e4f};
  EXPECT_NEAR(log_sum_exp(high), 6e4 + std::log(2.0), 1e-9);
  EXPECT_NEAR(log_sum_exp(low), -6e4 + std::log(2.0), 1e-9);
}

TEST(MostProbable, ComesInOrderWithTheSmallerIdFirstOnATie) {
  const float row[] = {1.0f, 3.0f, 0.0f, 3.0f, 2.0f};
  const auto best = most_probable(row, 4, 0.0);
  ASSERT_EQ(best.size(), 4u);
  EXPECT_EQ(best[0], (TokenLogprob{1, 3.0f}));
  EXPECT_EQ(best[1], (TokenLogprob{3, 3.0f}));
  EXPECT_EQ(best[2], (TokenLogprob{4, 2.0f}));
  EXPECT_EQ(best[3], (TokenLogprob{0, 1.0f}));
}

TEST(MostProbable, GivesNoMoreTokensThanTheRowHas) {
  const float row[] = {0.5f, 0.25f};
  EXPECT_EQ(most_probable(row, 100, 0.0).size(), 2u);
  EXPECT_TRUE(most_probable(row, 0, 0.0).empty());
}

TEST(MostProbable, ProbabilitiesOfAWholeRowAddUpToOne) {
  const float row[] = {0.1f, -2.0f, 3.5f, 0.7f, 1.1f, -0.3f};
  double sum = 0;
  for (const auto& one : most_probable(row, 6, log_sum_exp(row)))
    sum += std::exp(static_cast<double>(one.logprob));
  EXPECT_NEAR(sum, 1.0, 1e-6);
}

}  // namespace
}  // namespace troupe
