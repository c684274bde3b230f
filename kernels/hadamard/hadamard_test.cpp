#include "kernels/hadamard/hadamard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace troupe::kernels {
namespace {

std::vector<float> random_heads(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values)
    value = normal(random);
  return values;
}

TEST(Hadamard, TurnsFourElementsAsComputedByHand) {
  std::vector<float> head{8, 0, 2, 4};
  hadamard(head.data(), 1, 4);
  EXPECT_EQ(head, (std::vector<float>{7, 3, 1, 5}));  // halves of 14, 6, 2, 10
}

TEST(Hadamard, IsTheMatrixOfTheReferenceForEveryLengthOfHead) {
  for (const int size : {1, 2, 6, 40, 64, 80, 96, 128, 256, 576}) {
    auto heads = random_heads(3 * size, 1), expected = heads;
    hadamard(heads.data(), 3, size);
    hadamard_reference(expected.data(), 3, size);
    for (std::size_t i = 0; i < heads.size(); ++i)
      ASSERT_NEAR(heads[i], expected[i], 2e-6f) << size;
  }
}

TEST(Hadamard, TwiceGivesTheHeadBack) {
  const auto before = random_heads(5 * 64, 2);
  auto heads = before;
  hadamard(heads.data(), 5, 64);
  EXPECT_NE(heads, before);
  hadamard(heads.data(), 5, 64);
  for (std::size_t i = 0; i < heads.size(); ++i)
    EXPECT_NEAR(heads[i], before[i], 1e-6f);
}

TEST(Hadamard, LeavesProductsOfHeadsTurnedAlikeAsTheyAre) {
  auto a = random_heads(80, 3), b = random_heads(80, 4);
  const float before = std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
  hadamard(a.data(), 1, 80);
  hadamard(b.data(), 1, 80);
  EXPECT_NEAR(std::inner_product(a.begin(), a.end(), b.begin(), 0.0f), before, 1e-5f);
}

TEST(Hadamard, SpreadsOneLargeElementOverAllOfItsRun) {
  std::vector<float> head(64, 0);
  head[17] = 8;
  hadamard(head.data(), 1, 64);
  for (const float value : head)
    EXPECT_EQ(std::abs(value), 1);
}

TEST(Hadamard, GivesEachHeadTheBitsThatItHasAlone) {
  const auto before = random_heads(4 * 64, 5);
  auto together = before;
  hadamard(together.data(), 4, 64);
  for (int head = 0; head < 4; ++head) {
    std::vector<float> alone(before.begin() + head * 64, before.begin() + (head + 1) * 64);
    hadamard(alone.data(), 1, 64);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + head * 64));
  }
}

}  // namespace
}  // namespace troupe::kernels
