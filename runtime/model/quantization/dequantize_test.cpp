#include "troupe/model/dequantize.h"

#include "troupe/api/check.h"
#include "troupe/model/float_bits.h"
#include "troupe/model/quantization/blocks.h"
#include "troupe/model/weight_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace troupe::model {
namespace {

using namespace quantization;

constexpr std::uint16_t kOne = 0x3c00;       // 1
constexpr std::uint16_t kHalf = 0x3800;      // 0.5
constexpr std::uint16_t kMinusTwo = 0xc000;  // -2

template <class Block>
std::vector<float> values_of(WeightType type, const Block& block) {
  // One byte off alignment, as a block in a file may be.
  std::vector<std::byte> bytes(sizeof(Block) + 1);
  std::memcpy(bytes.data() + 1, &block, sizeof(Block));
  std::vector<float> out(static_cast<std::size_t>(weight_block(type).elements));
  dequantize_row(type, bytes.data() + 1, out.data(), static_cast<std::int64_t>(out.size()));
  return out;
}

TEST(Dequantize, CopiesFloats) {
  const float row[] = {1.5f, -0.0f, 3e38f};
  float out[3] = {};
  dequantize_row(WeightType::f32, reinterpret_cast<const std::byte*>(row), out, 3);
  EXPECT_EQ(std::memcmp(row, out, sizeof(row)), 0);
}

TEST(Dequantize, WidensHalvesAndBfloats) {
  const std::uint16_t halves[] = {kOne, kMinusTwo, 0x0001, 0x7bff};
  float out[4] = {};
  dequantize_row(WeightType::f16, reinterpret_cast<const std::byte*>(halves), out, 4);
  EXPECT_EQ(std::vector(out, out + 4), (std::vector{1.0f, -2.0f, 0x1p-24f, 65504.0f}));
  const std::uint16_t bfloats[] = {0x3f80, 0xc000, 0x0001, 0x7f7f};
  dequantize_row(WeightType::bf16, reinterpret_cast<const std::byte*>(bfloats), out, 4);
  EXPECT_EQ(std::vector(out, out + 4), (std::vector{1.0f, -2.0f, 0x1p-133f, 0x1.fep127f}));
}

TEST(Dequantize, Q8_0IsScaleTimesASignedByte) {
  BlockQ8_0 block{kHalf, {}};
  block.quants[0] = -128;
  block.quants[1] = 127;
  block.quants[31] = 3;
  const auto out = values_of(WeightType::q8_0, block);
  EXPECT_EQ(out[0], -64);
  EXPECT_EQ(out[1], 63.5f);
  EXPECT_EQ(out[2], 0);
  EXPECT_EQ(out[31], 1.5f);
}

TEST(Dequantize, Q4_0HasItsFirstHalfInTheLowBits) {
  BlockQ4_0 block{kMinusTwo, {}};
  block.quants.fill(0x88);  // all zero
  block.quants[0] = 0xf0;   // element 0: 0 - 8, element 16: 15 - 8
  block.quants[15] = 0x19;  // element 15: 9 - 8, element 31: 1 - 8
  const auto out = values_of(WeightType::q4_0, block);
  EXPECT_EQ(out[0], 16);
  EXPECT_EQ(out[16], -14);
  EXPECT_EQ(out[15], -2);
  EXPECT_EQ(out[31], 14);
  EXPECT_EQ(out[1], 0);
}

TEST(Dequantize, Q4_1AddsItsMinimum) {
  BlockQ4_1 block{kHalf, kMinusTwo, {}};
  block.quants[3] = 0xf1;  // element 3: 1, element 19: 15
  const auto out = values_of(WeightType::q4_1, block);
  EXPECT_EQ(out[0], -2);
  EXPECT_EQ(out[3], -1.5f);
  EXPECT_EQ(out[19], 5.5f);
}

TEST(Dequantize, Q5_0TakesTheFifthBitOfElementIFromBitI) {
  BlockQ5_0 block{kOne, {}, {}};
  block.high_bits = {0x01, 0x00, 0x02, 0x80};  // elements 0, 17 and 31
  block.quants[0] = 0x0f;
  block.quants[1] = 0x30;
  const auto out = values_of(WeightType::q5_0, block);
  EXPECT_EQ(out[0], 15);  // 31 - 16
  EXPECT_EQ(out[17], 3);  // 16 + 3 - 16
  EXPECT_EQ(out[31], 0);  // 16 - 16
  EXPECT_EQ(out[1], -16);
}

TEST(Dequantize, Q5_1AddsItsMinimumToFiveBits) {
  BlockQ5_1 block{kHalf, kOne, {0, 0, 0, 0x40}, {}};
  block.quants[14] = 0x27;  // element 14: 7, element 30: 16 + 2
  const auto out = values_of(WeightType::q5_1, block);
  EXPECT_EQ(out[14], 4.5f);
  EXPECT_EQ(out[30], 10);
  EXPECT_EQ(out[0], 1);
}

TEST(Dequantize, SubScalesUnpackBothHalvesOfTheTwelveBytes) {
  std::array<std::uint8_t, 12> packed{};
  packed[1] = 0b10'000101;  // sub-block 1: scale 5; sub-block 5: high bits 2 of the scale
  packed[5] = 0b11'000111;  // sub-block 1: minimum 7; sub-block 5: high bits 3 of the minimum
  packed[9] = 0b1001'0110;  // sub-block 5: low bits 6 of the scale, 9 of the minimum
  EXPECT_EQ(sub_scale_and_minimum(packed, 1).scale, 5);
  EXPECT_EQ(sub_scale_and_minimum(packed, 1).minimum, 7);
  EXPECT_EQ(sub_scale_and_minimum(packed, 5).scale, 2 * 16 + 6);
  EXPECT_EQ(sub_scale_and_minimum(packed, 5).minimum, 3 * 16 + 9);
}

TEST(Dequantize, SubScalesPackAndUnpackWithoutMixing) {
  std::array<std::uint8_t, 12> packed{};
  const auto scale_of = [](std::size_t s) { return static_cast<std::uint8_t>((s * 23 + 41) % 64); };
  const auto minimum_of = [](std::size_t s) {
    return static_cast<std::uint8_t>((s * 37 + 60) % 64);
  };
  for (std::size_t s = 0; s < 8; ++s)
    set_sub_scale(packed, s, {scale_of(s), minimum_of(s)});
  for (std::size_t s = 0; s < 8; ++s) {
    EXPECT_EQ(sub_scale_and_minimum(packed, s).scale, scale_of(s));
    EXPECT_EQ(sub_scale_and_minimum(packed, s).minimum, minimum_of(s));
  }
}

TEST(Dequantize, Q4KAlternatesSubBlocksBetweenLowAndHighBits) {
  BlockQ4K block{kHalf, kOne, {}, {}};
  set_sub_scale(block.sub_scales, 0, {4, 0});
  set_sub_scale(block.sub_scales, 1, {6, 2});
  set_sub_scale(block.sub_scales, 7, {63, 63});
  block.quants[0] = 0x5a;    // element 0: 10; element 32: 5
  block.quants[127] = 0xf0;  // element 255: 15
  const auto out = values_of(WeightType::q4_k, block);
  EXPECT_EQ(out[0], 0.5f * 4 * 10);
  EXPECT_EQ(out[32], 0.5f * 6 * 5 - 2);
  EXPECT_EQ(out[33], -2);
  EXPECT_EQ(out[255], 0.5f * 63 * 15 - 63);
  EXPECT_EQ(out[224], -63);
}

TEST(Dequantize, Q5KTakesTheFifthBitFromTheBitOfItsSubBlock) {
  BlockQ5K block{kHalf, kOne, {}, {}, {}};
  set_sub_scale(block.sub_scales, 2, {2, 1});
  set_sub_scale(block.sub_scales, 3, {4, 0});
  block.high_bits[7] = 0b0000'1000;  // sub-block 3, element 7
  block.quants[32 + 7] = 0x31;       // sub-block 2: 1; sub-block 3: 3 + 16
  const auto out = values_of(WeightType::q5_k, block);
  EXPECT_EQ(out[64 + 7], 0.5f * 2 * 1 - 1);
  EXPECT_EQ(out[96 + 7], 0.5f * 4 * 19);
}

TEST(Dequantize, Q6KSpreadsItsHighBitsOverFourQuarters) {
  BlockQ6K block{};
  block.scale = kHalf;
  block.sub_scales[0] = 2;   // elements 0 to 15
  block.sub_scales[7] = -3;  // elements 112 to 127: part 3 of the first half, upper sixteen
  block.sub_scales[10] = 4;  // elements 160 to 175: part 1 of the second half, lower sixteen
  block.low_bits[0] = 0x07;
  block.high_bits[0] = 0b00'00'00'11;
  block.low_bits[32 + 20] = 0x90;       // part 3 has the high halves of bytes 32 to 63
  block.high_bits[20] = 0b01'00'00'00;  // and bits 6 and 7
  block.low_bits[64 + 32 + 5] = 0x0c;
  block.high_bits[32 + 5] = 0b00'00'10'00;
  const auto out = values_of(WeightType::q6_k, block);
  EXPECT_EQ(out[0], 0.5f * 2 * (48 + 7 - 32));
  EXPECT_EQ(out[96 + 20], 0.5f * -3 * (16 + 9 - 32));
  EXPECT_EQ(out[128 + 32 + 5], 0.5f * 4 * (32 + 12 - 32));
  EXPECT_EQ(out[1], 0.5f * 2 * -32);
}

TEST(Dequantize, RefusesRowsThatAreNoWholeNumberOfBlocks) {
  float out[32];
  const std::byte row[34]{};
  EXPECT_THROW(dequantize_row(WeightType::q8_0, row, out, 31), CheckFailure);
  EXPECT_NO_THROW(dequantize_row(WeightType::q8_0, row, out, 0));
}

}  // namespace
}  // namespace troupe::model
