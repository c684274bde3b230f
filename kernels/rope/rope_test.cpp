#include "kernels/rope/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace troupe::kernels {
namespace {

TEST(Rope, TurnsAdjacentPairsByHand) {
  // The first pair by a quarter turn, the second by none; the last two elements do not turn.
  std::vector<float> head = {1, 2, 3, 4, 5, 6};
  const float cosines[] = {0, 1}, sines[] = {1, 0};
  rope({head.data(), cosines, sines, 1, 6, 4, RopeLayout::adjacent});
  EXPECT_EQ(head, (std::vector<float>{-2, 1, 3, 4, 5, 6}));
}

TEST(Rope, TurnsHalvesByHand) {
  std::vector<float> head = {1, 2, 3, 4, 5, 6};
  const float cosines[] = {0, 1}, sines[] = {1, 0};
  rope({head.data(), cosines, sines, 1, 6, 4, RopeLayout::halves});
  EXPECT_EQ(head, (std::vector<float>{-3, 2, 1, 4, 5, 6}));
}

TEST(Rope, IsCloseToTheReference) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const auto layout : {RopeLayout::adjacent, RopeLayout::halves})
    for (const int dims : {2, 10, 64, 80}) {
      std::vector<float> heads(3 * 80), cosines(40), sines(40);
      for (float& value : heads)
        value = normal(random);
      auto expected = heads;
      const auto frequencies = rope_frequencies(dims, 10000, 1, {});
      rope_angles(17, frequencies, cosines.data(), sines.data());
      rope({heads.data(), cosines.data(), sines.data(), 3, 80, dims, layout});
      rope_reference({expected.data(), cosines.data(), sines.data(), 3, 80, dims, layout});
      for (std::size_t i = 0; i < heads.size(); ++i)
        ASSERT_NEAR(heads[i], expected[i], 1e-6f);
    }
}

TEST(RopeFrequencies, FollowThetaScalingAndDivisors) {
  const float divisors[] = {1, 8};
  const auto frequencies = rope_frequencies(4, 10000, 2, divisors);
  ASSERT_EQ(frequencies.size(), 2u);
  EXPECT_DOUBLE_EQ(frequencies[0], 0.5);
  EXPECT_DOUBLE_EQ(frequencies[1], 0.01 / 2 / 8);
}

TEST(RopeAngles, StayExactFarFromTheStart) {
  const double frequencies[] = {std::numbers::pi / 2, 1};
  float cosines[2], sines[2];
  rope_angles(1'000'001, frequencies, cosines, sines);
  EXPECT_NEAR(sines[0], 1, 1e-6);
  EXPECT_NEAR(cosines[1], std::cos(1'000'001.0), 1e-7);
}

}  // namespace
}  // namespace troupe::kernels
