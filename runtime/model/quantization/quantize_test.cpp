#include "troupe/model/quantize.h"

#include "troupe/model/dequantize.h"
#include "troupe/model/weight_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace troupe::model {
namespace {

// The largest error of a value, as a share of the largest magnitude in its group of 32.
const std::map<WeightType, double> kMostError = {
    {WeightType::f32, 0},       {WeightType::f16, 1.0 / 2048}, {WeightType::bf16, 1.0 / 256},
    {WeightType::q8_0, 0.0045}, {WeightType::q4_0, 0.13},      {WeightType::q4_1, 0.075},
    {WeightType::q5_0, 0.066},  {WeightType::q5_1, 0.037},     {WeightType::q4_k, 0.12},
    {WeightType::q5_k, 0.07},   {WeightType::q6_k, 0.045}};

std::vector<float> round_trip(WeightType type, const std::vector<float>& row) {
  const auto elements = static_cast<std::int64_t>(row.size());
  std::vector<std::byte> stored(static_cast<std::size_t>(row_bytes(type, elements)));
  quantize_row(type, row.data(), stored.data(), elements);
  std::vector<float> back(row.size());
  dequantize_row(type, stored.data(), back.data(), elements);
  return back;
}

std::vector<float> normal_row(std::size_t elements, float deviation) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> row(elements);
  for (auto& value : row)
    value = normal(random);
  return row;
}

TEST(Quantize, KeepsEachValueWithinTheErrorOfItsType) {
  for (const auto& [type, most] : kMostError)
    for (const float deviation : {0.02f, 1.0f, 100.0f}) {
      const auto row = normal_row(4096, deviation);
      const auto back = round_trip(type, row);
      for (std::size_t group = 0; group < row.size(); group += 32) {
        float largest = 0;
        for (std::size_t i = group; i < group + 32; ++i)
          largest = std::max(largest, std::fabs(row[i]));
        for (std::size_t i = group; i < group + 32; ++i)
          ASSERT_LE(std::fabs(row[i] - back[i]), most * largest)
              << to_string(type) << " element " << i;
      }
    }
}

TEST(Quantize, StoresAgainWhatItRead) {
  // A row that a type can hold exactly comes back exactly, also through the float scales.
  for (const auto& [type, most] : kMostError) {
    if (type == WeightType::q4_k || type == WeightType::q5_k) continue;  // their minimum is rounded
    const auto once = round_trip(type, normal_row(1024, 1));
    const auto twice = round_trip(type, once);
    for (std::size_t i = 0; i < once.size(); ++i)
      ASSERT_NEAR(once[i], twice[i], 0.02 * std::fabs(once[i]) + 1e-6) << to_string(type);
  }
}

TEST(Quantize, HoldsZerosConstantsAndSingleSpikes) {
  for (const auto& [type, most] : kMostError) {
    EXPECT_EQ(round_trip(type, std::vector<float>(256, 0.0f)), std::vector<float>(256, 0.0f));
    for (const float constant : {0.5f, -0.5f})
      for (const auto value : round_trip(type, std::vector<float>(256, constant)))
        EXPECT_NEAR(value, constant, 0.01) << to_string(type);
    std::vector<float> spike(256, 0.0f);
    spike[200] = -8;
    const auto back = round_trip(type, spike);
    EXPECT_NEAR(back[200], -8, 0.25) << to_string(type);
    EXPECT_EQ(back[0], 0) << to_string(type);
  }
}

TEST(Quantize, StaysFiniteWhereTheScaleIsTooSmallForAHalf) {
  for (const auto& [type, most] : kMostError)
    for (const float size : {1e-30f, 1e-7f, 1e4f}) {
      const auto back = round_trip(type, normal_row(256, size));
      for (const auto value : back)
        EXPECT_TRUE(std::isfinite(value)) << to_string(type) << " " << size;
    }
}

TEST(Quantize, RoundsFloatsToNearestEven) {
  EXPECT_EQ(round_trip(WeightType::bf16, {1 + 0x1p-8f, 1 + 3 * 0x1p-8f}),
            (std::vector<float>{1, 1 + 0x1p-6f}));
  EXPECT_EQ(round_trip(WeightType::f16, {1 + 0x1p-11f, 1 + 3 * 0x1p-11f}),
            (std::vector<float>{1, 1 + 0x1p-9f}));
}

}  // namespace
}  // namespace troupe::model
