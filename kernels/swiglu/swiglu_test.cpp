#include "kernels/swiglu/swiglu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace troupe::kernels {
namespace {

constexpr CpuLevel kLevels[] = {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512};

TEST(Swiglu, EqualsValuesComputedByHand) {
  const float gate[] = {0, std::log(3.0f), -std::log(3.0f), 100, -100};
  const float up[] = {5, 4, 4, 2, 2};
  for (const auto level : kLevels) {
    if (level > cpu_level()) continue;
    float output[5];
    swiglu_for(level)({gate, up, output, 5});
    EXPECT_FLOAT_EQ(output[0], 0);
    EXPECT_FLOAT_EQ(output[1], 3 * std::log(3.0f));
    EXPECT_FLOAT_EQ(output[2], -std::log(3.0f));
    EXPECT_FLOAT_EQ(output[3], 200);
    EXPECT_NEAR(output[4], 0, 1e-30);
  }
}

TEST(Swiglu, EveryVariantIsCloseToTheReferenceWithTheSameBits) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 8);
  for (const std::size_t size : {1, 15, 16, 17, 100, 1536}) {
    std::vector<float> gate(size), up(size), expected(size), first(size);
    for (std::size_t i = 0; i < size; ++i)
      gate[i] = normal(random), up[i] = normal(random);
    const auto count = static_cast<std::int64_t>(size);
    swiglu_reference({gate.data(), up.data(), expected.data(), count});
    swiglu_for(CpuLevel::portable)({gate.data(), up.data(), first.data(), count});
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_NEAR(first[i], expected[i], 1e-6f * (1 + std::abs(expected[i])));
    for (const auto level : kLevels) {
      if (level > cpu_level()) continue;
      auto in_place = gate;
      swiglu_for(level)({in_place.data(), up.data(), in_place.data(), count});
      EXPECT_EQ(in_place, first) << to_string(level) << " " << size;
    }
  }
}

TEST(Swiglu, HidesNoNanOrInfinity) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const float gate[] = {nan, 1, infinity, -infinity, 1};
  const float up[] = {1, nan, 1, 1, infinity};
  for (const auto level : kLevels) {
    if (level > cpu_level()) continue;
    float output[5];
    swiglu_for(level)({gate, up, output, 5});
    for (const float value : output)
      EXPECT_FALSE(std::isfinite(value));
  }
}

}  // namespace
}  // namespace troupe::kernels
