#include "troupe/model/float_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace troupe::model {
namespace {

TEST(FloatBits, EveryHalfSurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = half_to_float(half);
    if (std::isnan(value)) {
      EXPECT_EQ(bits & 0x7c00u, 0x7c00u);
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value))));
    } else {
      ASSERT_EQ(float_to_half(value), half);
    }
  }
}

TEST(FloatBits, HalvesHaveTheValuesOfTheStandard) {
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x03ff), 1023 * 0x1p-24f);
  EXPECT_EQ(half_to_float(0x0400), 0x1p-14f);
  EXPECT_EQ(half_to_float(0x3555), 0x1.554p-2f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);
  EXPECT_EQ(half_to_float(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
}

TEST(FloatBits, HalvesRoundToNearestWithTiesToEven) {
  EXPECT_EQ(float_to_half(1 + 0x1p-11f), 0x3c00);
  EXPECT_EQ(float_to_half(1 + 0x1.8p-10f), 0x3c02);
  EXPECT_EQ(float_to_half(0x1p-25f), 0x0000);
  EXPECT_EQ(float_to_half(0x1.8p-24f), 0x0002);
  EXPECT_EQ(float_to_half(0x1.ffffp-15f), 0x0400);
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-1e30f), 0xfc00);
}

TEST(FloatBits, NoHalfIsNearerThanTheOneChosen) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> exponent(-26, 15);
  for (int round = 0; round < 20000; ++round) {
    const float value = std::exp2(exponent(random));
    const auto half = float_to_half(value);
    const double error = std::fabs(double{half_to_float(half)} - value);
    EXPECT_LE(error,
              std::fabs(double{half_to_float(static_cast<std::uint16_t>(half + 1))} - value));
    if (half > 0) {
      EXPECT_LE(error,
                std::fabs(double{half_to_float(static_cast<std::uint16_t>(half - 1))} - value));
    }
  }
}

TEST(FloatBits, BfloatsRoundToNearestEvenAndKeepNaN) {
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(1 + 0x1.8p-7f), 0x3f82);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_bfloat16(-std::numeric_limits<float>::infinity()), 0xff80);
  EXPECT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_EQ(bfloat16_to_float(0x3fc0), 1.5f);
}

}  // namespace
}  // namespace troupe::model
