#include "kernels/rms_norm/rms_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace troupe::kernels {
namespace {

constexpr CpuLevel kLevels[] = {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512};

std::vector<float> random_row(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> row(size);
  for (float& value : row)
    value = normal(random);
  return row;
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquareAsComputedByHand) {
  const float input[] = {1, -7, 5, 5};  // mean square 25
  const float weight[] = {1, 1, 2, 0};
  for (const auto level : kLevels) {
    if (level > cpu_level()) continue;
    float output[4];
    EXPECT_TRUE(rms_norm_for(level)({input, weight, output, 4, 0}));
    EXPECT_FLOAT_EQ(output[0], 0.2f);
    EXPECT_FLOAT_EQ(output[1], -1.4f);
    EXPECT_FLOAT_EQ(output[2], 2);
    EXPECT_FLOAT_EQ(output[3], 0);
  }
}

TEST(RmsNorm, EveryVariantIsCloseToTheReferenceWithTheSameBits) {
  for (const std::size_t size : {1, 2, 15, 16, 17, 31, 64, 576, 577, 4099}) {
    const auto input = random_row(size, 1), weight = random_row(size, 2);
    std::vector<float> expected(size), first(size);
    const auto count = static_cast<std::int64_t>(size);
    rms_norm_reference({input.data(), weight.data(), expected.data(), count, 1e-5f});
    rms_norm_for(CpuLevel::portable)({input.data(), weight.data(), first.data(), count, 1e-5f});
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_NEAR(first[i], expected[i], 1e-6f * (1 + std::abs(expected[i])));
    for (const auto level : kLevels) {
      if (level > cpu_level()) continue;
      auto in_place = input;
      rms_norm_for(level)({in_place.data(), weight.data(), in_place.data(), count, 1e-5f});
      EXPECT_EQ(in_place, first) << to_string(level) << " " << size;
    }
  }
}

TEST(RmsNorm, SaysWhenTheInputIsNotFiniteOrTooLargeToSquare) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e19f})
    for (const std::size_t size : {5u, 16u, 40u})
      for (const auto level : kLevels) {
        if (level > cpu_level()) continue;
        auto input = random_row(size, 3);
        const auto weight = input;
        const auto count = static_cast<std::int64_t>(size);
        EXPECT_TRUE(
            rms_norm_for(level)({weight.data(), weight.data(), input.data(), count, 1e-5f}));
        input[size - 1] = bad;
        EXPECT_FALSE(
            rms_norm_for(level)({input.data(), weight.data(), input.data(), count, 1e-5f}));
      }
}

}  // namespace
}  // namespace troupe::kernels
