#include "kernels/matmul/packed_matrix.h"

#include "kernels/matmul/random_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace troupe::kernels {
namespace {

constexpr WeightFormat kGrouped[] = {WeightFormat::int4,          WeightFormat::int4_min,
                                     WeightFormat::int4_min_wide, WeightFormat::int8,
                                     WeightFormat::int8_min,      WeightFormat::int8_16};

/// What the source says a grouped weight is.
std::vector<float> row_of(const WeightSource& source, std::int64_t row) {
  const auto k = static_cast<std::size_t>(source.k);
  std::vector<float> weights(k), scales(k / 16), minimums(k / 16, 0.0f);
  if (!is_grouped(source.format)) {
    source.read_floats(row, weights.data());
    return weights;
  }
  std::vector<std::int8_t> codes(k);
  source.read_groups(row, codes.data(), scales.data(), minimums.data());
  const auto size = static_cast<std::size_t>(group_size(source.format));
  const int zero = source.format == WeightFormat::int4 ? 8 : 0;
  for (std::size_t c = 0; c < k; ++c)
    weights[c] =
        std::fma(scales[c / size], static_cast<float>(codes[c] - zero), minimums[c / size]);
  return weights;
}

void expect_lossless(const WeightSource& source, int threads) {
  ThreadTeam team(threads);
  WeightArena arena;
  const auto matrix = PackedMatrix::pack(source, team, arena);
  ASSERT_TRUE(matrix) << matrix.error().message();
  for (std::int64_t row = 0; row < source.n; ++row) {
    const auto expected = row_of(source, row);
    for (std::int64_t c = 0; c < source.k; ++c)
      ASSERT_EQ(matrix->weight(row, c), expected[static_cast<std::size_t>(c)]) << row << ", " << c;
  }
}

std::string refusal_of(const WeightSource& source) {
  ThreadTeam team(2);
  const auto matrix = PackedMatrix::pack(source, team);
  return matrix ? "" : matrix.error().message();
}

TEST(PackedMatrix, KeepsEveryWeightOfEveryFormat) {
  for (const auto format : kGrouped)
    for (const std::int64_t n : {1, 15, 16, 33})
      expect_lossless(random_weights(1, n, 96, format), 1);
  for (const auto format : {WeightFormat::f32, WeightFormat::bf16})
    for (const std::int64_t k : {1, 31, 32, 172})
      expect_lossless(random_weights(2, 17, k, format), 1);
}

TEST(PackedMatrix, IsTheSameWhateverTheNumberOfThreads) {
  for (const int threads : {2, 3})
    expect_lossless(random_weights(3, 200, 64, WeightFormat::int4_min), threads);
}

TEST(PackedMatrix, ReadsAsManyBytesAsTheFormatNeeds) {
  ThreadTeam team(1);
  // 16 rows of 32 codes: half a byte each, with a scale and a minimum of two bytes per row.
  EXPECT_EQ(PackedMatrix::pack(random_weights(4, 16, 32, WeightFormat::int4_min), team)->bytes(),
            320u);
  EXPECT_EQ(PackedMatrix::pack(random_weights(4, 17, 64, WeightFormat::int8), team)->bytes(),
            4 * 544u);
}

TEST(PackedMatrix, RefusesColumnsThatAreNoWholeGroups) {
  for (const auto format : kGrouped)
    EXPECT_NE(refusal_of(random_weights(5, 4, 48, format)).find("[4, 48]"), std::string::npos);
}

TEST(PackedMatrix, RefusesShapesThatAreNone) {
  for (const std::int64_t bad :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31, INT64_MAX}) {
    EXPECT_NE(refusal_of(random_weights(6, bad, 32, WeightFormat::f32)), "");
    EXPECT_NE(refusal_of(random_weights(6, 32, bad, WeightFormat::f32)), "");
  }
}

TEST(PackedMatrix, NamesTheFirstRowWithACodeOutOfRange) {
  auto source = random_weights(7, 50, 64, WeightFormat::int4);
  const auto read = source.read_groups;
  for (const int bad : {-1, 16, 127, -128}) {
    source.read_groups = [&](std::int64_t row, std::int8_t* codes, float* scales, float* minimums) {
      read(row, codes, scales, minimums);
      if (row == 21 || row == 40) codes[63] = static_cast<std::int8_t>(bad);
    };
    EXPECT_NE(refusal_of(source).find("row 21 "), std::string::npos) << refusal_of(source);
  }
}

TEST(PackedMatrix, RefusesNumbersThatFloat16OrBfloat16WouldRound) {
  auto scaled = random_weights(8, 20, 32, WeightFormat::int4_min);
  const auto read = scaled.read_groups;
  for (const float bad : {1.0f + 0x1p-11f, 65520.0f, 0x1p-25f, 1e30f}) {
    scaled.read_groups = [&](std::int64_t row, std::int8_t* codes, float* scales, float* minimums) {
      read(row, codes, scales, minimums);
      (row == 3 ? minimums : scales)[0] = row == 3 || row == 9 ? bad : 1.0f;
    };
    EXPECT_NE(refusal_of(scaled).find("row 3 "), std::string::npos) << bad;
  }
  WeightSource plain{4, 8, WeightFormat::bf16, {}, {}};
  plain.read_floats = [](std::int64_t, float* weights) { std::fill_n(weights, 8, 1.0f + 0x1p-8f); };
  EXPECT_NE(refusal_of(plain).find("row 0 "), std::string::npos);
}

TEST(PackedMatrix, KeepsExtremeFloat16Scales) {
  for (const float scale : {0x1p-24f, 0x1.ff8p-15f, 65504.0f, -0x1p-14f, 0.0f}) {
    auto source = random_weights(9, 2, 32, WeightFormat::int8);
    const auto read = source.read_groups;
    source.read_groups = [&](std::int64_t row, std::int8_t* codes, float* scales, float* minimums) {
      read(row, codes, scales, minimums);
      scales[0] = scale;
    };
    expect_lossless(source, 1);
  }
}

TEST(WeightArena, GivesAlignedZeroedMemoryThatOutlivesIt) {
  std::shared_ptr<std::byte> first, second;
  {
    WeightArena arena;
    first = arena.allocate(100).value();
    second = arena.allocate(1).value();
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.get()) % 64, 0u);
  EXPECT_EQ(second.get() - first.get(), 128);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(first.get()[i], std::byte{0});
  first.get()[99] = second.get()[0] = std::byte{1};
}

TEST(WeightArena, SaysSoWhenThereIsNoSuchMemory) {
  WeightArena arena;
  const auto memory = arena.allocate(SIZE_MAX);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code(), ErrorCode::resource_exhausted);
  EXPECT_TRUE(arena.allocate(64));
}

TEST(Half, ConvertsEveryFloat16ThereAndBack) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const float value = float_from_half(static_cast<std::uint16_t>(half));
    if (std::isnan(value)) continue;
    ASSERT_EQ(half_from_exact(value), half);
  }
  EXPECT_EQ(float_from_half(0x3c00), 1.0f);
  EXPECT_EQ(float_from_half(0x0001), 0x1p-24f);
  EXPECT_EQ(float_from_half(0xfbff), -65504.0f);
}

TEST(Half, RoundsToBfloat16WithTiesToEven) {
  EXPECT_EQ(round_to_bf16(1.0f + 0x1p-8f), 1.0f);
  EXPECT_EQ(round_to_bf16(1.0f + 3 * 0x1p-8f), 1.0f + 0x1p-6f);
  EXPECT_EQ(round_to_bf16(1.0f + 0x1.8p-8f), 1.0f + 0x1p-7f);
  EXPECT_TRUE(std::isnan(round_to_bf16(std::bit_cast<float>(0x7f800001u))));
  EXPECT_EQ(round_to_bf16(3.4e38f), INFINITY);
}

}  // namespace
}  // namespace troupe::kernels
