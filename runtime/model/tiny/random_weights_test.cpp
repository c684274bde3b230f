#include "troupe/model/tiny/random_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace troupe::model::tiny {
namespace {

TEST(RandomWeights, HaveTheMeanAndDeviationAskedFor) {
  const auto values = random_weights(1, "w", 100000, 2);
  double sum = 0;
  double squares = 0;
  for (const auto value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.03);
  EXPECT_NEAR(std::sqrt(squares / 100000), 2, 0.02);
  EXPECT_LT(std::ranges::max(values), 2 * 3.5);
  EXPECT_GT(std::ranges::min(values), -2 * 3.5);
}

TEST(RandomWeights, DependOnSeedAndNameAlone) {
  const auto values = random_weights(5, "blk.0", 8, 1);
  EXPECT_EQ(random_weights(5, "blk.0", 8, 1), values);
  EXPECT_NE(random_weights(6, "blk.0", 8, 1), values);
  EXPECT_NE(random_weights(5, "blk.1", 8, 1), values);
  EXPECT_NE(random_weights(5, "blk0.", 8, 1), values);
  const auto longer = random_weights(5, "blk.0", 16, 1);
  EXPECT_TRUE(std::ranges::equal(values, std::span(longer).first(8)));
}

TEST(RandomWeights, AreTheSameNumbersOnEveryMachine) {
  // Computed with integers of any size in another language.
  EXPECT_EQ(random_weights(1, "token_embd.weight", 3, 1),
            (std::vector{-1.0636614513866913f, 2.0034237603964806f, 0.7488392278385557f}));
}

}  // namespace
}  // namespace troupe::model::tiny
