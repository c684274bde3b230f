#include "kernels/lanes/exp.h"
#include "kernels/lanes/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// The portable lanes; the other instruction sets are compared with them bit for bit by the tests of
// each kernel.
namespace troupe::lanes {
namespace {

float exp_of(float x) {
  float lane[16];
  exp(F32x16::all(x)).store(lane);
  return lane[7];
}

TEST(Exp, IsWithinTwoUnitsInTheLastPlace) {
  for (double x = -87.2; x < 88.2; x += 0.00371) {
    const auto rounded = static_cast<float>(x);
    const double exact = std::exp(static_cast<double>(rounded));
    ASSERT_NEAR(exp_of(rounded) / exact, 1, 2.4e-7) << x;
  }
}

TEST(Exp, HasItsLimitsWhereItSaysSo) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exp_of(-0.0f), 1);
  EXPECT_EQ(exp_of(-87.4f), 0);
  EXPECT_EQ(exp_of(-infinity), 0);
  EXPECT_GT(exp_of(88.3f), 2e38f);
  EXPECT_EQ(exp_of(infinity), exp_of(88.3f));
  EXPECT_TRUE(std::isnan(exp_of(std::numeric_limits<float>::quiet_NaN())));
}

TEST(Reduce, AddsHalvesToHalves) {
  float lane[16];
  for (int i = 0; i < 16; ++i)
    lane[i] = static_cast<float>(1 << i);
  EXPECT_EQ(reduce_sum(F32x16::load(lane)), 65535);
  EXPECT_EQ(reduce_max(F32x16::load(lane)), 32768);
}

TEST(F32x16, TouchesNoMoreThanTheFirstLanes) {
  const float values[3] = {1, 2, 3};
  float out[4] = {0, 0, 0, 9};
  F32x16::load_first(values, 3).store_first(out, 3);
  EXPECT_EQ(out[2], 3);
  EXPECT_EQ(out[3], 9);
}

TEST(Half, EveryFloat16ComesBackFromFloat32) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_of_f16(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(float_of_f16(f16_of_float(value))));
    else
      ASSERT_EQ(f16_of_float(value), half);
  }
}

TEST(Half, RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(f16_of_float(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(f16_of_float(1.0f + 0x3p-11f), 0x3c02);
  EXPECT_EQ(f16_of_float(65519.0f), 0x7bff);
  EXPECT_EQ(f16_of_float(65520.0f), 0x7c00);
  EXPECT_EQ(f16_of_float(-0x1p-25f), 0x8000);
  EXPECT_EQ(f16_of_float(0x1.8p-24f), 0x0002);
  EXPECT_EQ(bf16_of_float(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(bf16_of_float(1.0f + 0x3p-8f), 0x3f82);
  EXPECT_TRUE(std::isnan(float_of_bf16(bf16_of_float(float_of_bits(0x7f800001)))));
  EXPECT_EQ(float_of_bf16(bf16_of_float(std::numeric_limits<float>::max())),
            std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace troupe::lanes
