#include "kernels/matmul/packed_activations.h"

#include "kernels/matmul/layout.h"
#include "kernels/matmul/random_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace troupe::kernels {
namespace {

/// One group of 32 activations, packed as a row of its own and read back.
struct Group {
  float scale, sum, offset;
  std::int32_t bias, bias_first, bias_second;
  std::int8_t codes[64];
};

Group packed_group(const MatmulVariant& variant, Precision precision, const float* x) {
  std::vector<std::byte> memory(PackedActivations::bytes(precision, 1, 32));
  PackedActivations(variant, precision, 1, 32, memory.data()).pack(x, 32);
  Group group{};
  const auto codes = static_cast<std::size_t>(layout::terms_of(precision) * 32);
  std::memcpy(group.codes, memory.data(), codes);
  std::memcpy(&group, memory.data() + codes, layout::kFields * 4);
  return group;
}

int code_of(const Group& group, Precision precision, int i) {
  return precision == Precision::int8 ? group.codes[i] : 256 * group.codes[i] + group.codes[32 + i];
}

template <class Function>
void for_every_variant(const Function& function) {
  for (const MatmulVariant* variant : matmul_variants()) {
    SCOPED_TRACE(variant->name);
    function(*variant);
  }
}

TEST(PackedActivations, CoverAllRowsWithBlocksOfPowersOfTwo) {
  for_every_variant([](const MatmulVariant& variant) {
    for (int p = 0; p < kPrecisions; ++p)
      for (std::int64_t rows = 0; rows < 70; ++rows) {
        const PackedActivations activations(variant, static_cast<Precision>(p), rows, 32, nullptr);
        std::int64_t next = 0;
        for (std::int64_t i = 0; i < activations.num_blocks(); ++i) {
          const auto block = activations.block(i);
          ASSERT_EQ(block.first_row, next);
          next += std::int64_t{1} << block.size_log2;
        }
        ASSERT_EQ(next, rows);
      }
  });
}

TEST(PackedActivations, RoundToWithinHalfAStepOfTheGroup) {
  for_every_variant([](const MatmulVariant& variant) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const auto x = random_activations(seed, 32);
      for (const auto precision : {Precision::int8, Precision::int8x2}) {
        const Group group = packed_group(variant, precision, x.data());
        for (int i = 0; i < 32; ++i) {
          const double value =
              group.scale * static_cast<double>(code_of(group, precision, i)) + group.offset;
          ASSERT_NEAR(value, x[static_cast<std::size_t>(i)], 0.51 * group.scale);
        }
      }
    }
  });
}

TEST(PackedActivations, AreTheSumOfTheNearestBfloat16AndTheNearestOfTheRest) {
  for_every_variant([](const MatmulVariant& variant) {
    std::vector<float> x = {1 + 0x1p-8f + 0x1p-16f + 0x1p-23f, 1 + 0x1p-9f + 0x1p-17f, -0.75f};
    x.resize(32);
    std::vector<float> packed(32);
    PackedActivations(variant, Precision::bf16x2, 1, 32,
                      reinterpret_cast<std::byte*>(packed.data()))
        .pack(x.data(), 32);
    EXPECT_EQ(packed[0], 1 + 0x1p-8f + 0x1p-16f);  // 1 + 2^-7 and a negative rest
    EXPECT_EQ(packed[1], 1 + 0x1p-9f);             // the rest is a tie
    EXPECT_EQ(packed[2], -0.75f);                  // no rest
    const auto many = random_activations(6, 32);
    PackedActivations(variant, Precision::bf16x2, 1, 32,
                      reinterpret_cast<std::byte*>(packed.data()))
        .pack(many.data(), 32);
    for (std::size_t i = 0; i < 32; ++i)
      ASSERT_NEAR(packed[i], many[i], 0x1p-17 * std::abs(many[i]));
  });
}

TEST(PackedActivations, SumTheRoundedGroup) {
  for_every_variant([](const MatmulVariant& variant) {
    const auto x = random_activations(3, 32);
    for (const auto precision : {Precision::int8, Precision::int8x2}) {
      const Group group = packed_group(variant, precision, x.data());
      int halves[2] = {0, 0};
      for (int i = 0; i < 32; ++i)
        halves[i / 16] += code_of(group, precision, i);
      EXPECT_EQ(group.bias_first, -128 * halves[0]);
      EXPECT_EQ(group.bias_second, -128 * halves[1]);
      EXPECT_EQ(group.bias, -128 * (halves[0] + halves[1]));
      EXPECT_NEAR(group.sum,
                  group.scale * static_cast<float>(halves[0] + halves[1]) + 32 * group.offset,
                  1e-4);
    }
  });
}

TEST(PackedActivations, ReachTheLastCodesAndNoFurther) {
  for_every_variant([](const MatmulVariant& variant) {
    for (const float top : {1.0f, 3e38f, 0x1.fffffep-99f, 0.1f, 7.7f}) {
      std::vector<float> x(32, 0.0f);
      x[3] = top, x[17] = -top;
      const Group two = packed_group(variant, Precision::int8x2, x.data());
      EXPECT_EQ(code_of(two, Precision::int8x2, 3), 32639);
      EXPECT_EQ(code_of(two, Precision::int8x2, 17), -32639);
      const Group one = packed_group(variant, Precision::int8, x.data());
      EXPECT_EQ(one.codes[3], 127);
      EXPECT_EQ(one.codes[17], -127);
      EXPECT_EQ(one.offset, 0.0f);
    }
  });
}

TEST(PackedActivations, SpendTheCodesOfInt8OnTheRangeThatIsThere) {
  for_every_variant([](const MatmulVariant& variant) {
    std::vector<float> x(32);
    for (int i = 0; i < 32; ++i)
      x[static_cast<std::size_t>(i)] = 100.0f + static_cast<float>(i) / 31.0f;
    const Group group = packed_group(variant, Precision::int8, x.data());
    EXPECT_EQ(group.offset, 100.5f);
    EXPECT_NEAR(group.scale, 0.5 / 127, 1e-7);
    std::fill(x.begin(), x.end(), -3.25f);
    const Group constant = packed_group(variant, Precision::int8, x.data());
    EXPECT_EQ(constant.offset, -3.25f);
    EXPECT_EQ(constant.scale, 0.0f);
    EXPECT_EQ(constant.sum, -104.0f);
  });
}

TEST(PackedActivations, StayWithinEightBitsWhenTheMiddleIsRounded) {
  for_every_variant([](const MatmulVariant& variant) {
    std::vector<float> x(32, 1.0f);
    x[5] = 1.0f + 0x1p-23f;  // the middle is no float32 number
    const Group group = packed_group(variant, Precision::int8, x.data());
    for (int i = 0; i < 32; ++i)
      ASSERT_EQ(group.offset + group.scale * group.codes[i], x[static_cast<std::size_t>(i)]);
  });
}

TEST(PackedActivations, TurnAGroupWithANanOrAnInfinityIntoNan) {
  for_every_variant([](const MatmulVariant& variant) {
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      auto x = random_activations(4, 32);
      x[31] = bad;
      for (const auto precision : {Precision::int8, Precision::int8x2}) {
        const Group group = packed_group(variant, precision, x.data());
        EXPECT_TRUE(std::isnan(group.scale) && std::isnan(group.sum));
        EXPECT_EQ(group.bias, 0);
      }
    }
  });
}

TEST(PackedActivations, CountTinyGroupsAsZero) {
  for_every_variant([](const MatmulVariant& variant) {
    const std::vector<float> x(32, 0x1p-101f);
    const Group group = packed_group(variant, Precision::int8x2, x.data());
    EXPECT_EQ(group.scale, 0.0f);
    EXPECT_EQ(group.sum, 0.0f);
  });
}

TEST(PackedActivations, HaveTheSameBytesInVariantsWithTheSameBlocks) {
  for (int p = 0; p < kPrecisions; ++p) {
    const auto precision = static_cast<Precision>(p);
    const auto x = random_activations(5, 1000);
    std::vector<std::byte> expected;
    for (const MatmulVariant* variant : matmul_variants()) {
      std::vector<std::byte> memory(PackedActivations::bytes(precision, 1, 1000));
      PackedActivations(*variant, precision, 1, 1000, memory.data()).pack(x.data(), 1000);
      if (expected.empty()) expected = memory;
      EXPECT_EQ(memory, expected) << variant->name << " " << to_string(precision);
    }
  }
}

}  // namespace
}  // namespace troupe::kernels
