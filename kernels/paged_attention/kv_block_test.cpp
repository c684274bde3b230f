#include "test_sequence.h"

#include <cstring>

namespace troupe::kernels {
namespace {

class KvBlock : public PagedAttentionShapes {};

TEST_P(KvBlock, EveryVariantStoresTheBitsOfTheReference) {
  const auto& [precision, shape] = GetParam();
  const auto& [kv_heads, group, head_dim, length] = shape;
  const KvBlockLayout layout{kv_heads, head_dim, precision};
  auto expected = sequence(8);
  const auto width = static_cast<std::size_t>(kv_heads * head_dim);
  expected.store(CpuLevel::portable, 0);
  for (int t = 0; t < length; ++t) {
    const auto at = static_cast<std::size_t>(t) * width;
    kv_write_reference(
        {&expected.keys_[at], &expected.values_[at], expected.block(t), t % kBlockSize, layout});
  }
  for (const auto level : levels()) {
    auto sequence = this->sequence(8);
    sequence.store(level, length);
    EXPECT_EQ(sequence.pool_, expected.pool_) << to_string(level);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, KvBlock, all_shapes(), shape_name);

/// The numbers of the first key of a block, and its scale, as int8 stores them.
std::pair<std::vector<int>, float> quantized(CpuLevel level, const std::vector<float>& key) {
  const KvBlockLayout layout{1, static_cast<int>(key.size()), KvPrecision::int8};
  std::vector<std::byte> block(static_cast<std::size_t>(layout.block_bytes()));
  paged_attention_for(level, KvPrecision::int8)
      .write({key.data(), key.data(), block.data(), 0, layout});
  std::vector<int> numbers;
  for (std::size_t d = 0; d < key.size(); ++d)
    numbers.push_back(static_cast<std::int8_t>(block[d * kBlockSize]));
  float scale;
  std::memcpy(&scale, block.data() + layout.scales_offset(), sizeof scale);
  return {numbers, scale};
}

TEST(KvQuantization, QuantizesAsComputedByHand) {
  for (const auto level : levels()) {
    const auto [numbers, scale] = quantized(level, {254, -254, 3, -3, 5, 1, -1, 0.99f});
    EXPECT_EQ(scale, 2);
    EXPECT_EQ(numbers, (std::vector<int>{127, -127, 2, -2, 2, 0, 0, 0}));  // ties to even
  }
}

TEST(KvQuantization, QuantizesZerosSpecksAndNumbersThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto level : levels()) {
    EXPECT_EQ(quantized(level, {0, -0.0f}), (std::pair{std::vector{0, 0}, 0.0f}));
    EXPECT_EQ(quantized(level, {1e-38f, -1e-40f}), (std::pair{std::vector{0, 0}, 0.0f}));
    EXPECT_EQ(quantized(level, {3e38f, -3e38f}).first, (std::vector{127, -127}));
    EXPECT_TRUE(std::isnan(quantized(level, {1, infinity}).second));
    EXPECT_TRUE(std::isnan(quantized(level, {1, -std::nanf("")}).second));
  }
}

TEST(KvBlockLayout, CountsKeysAndPaddedValues) {
  const KvBlockLayout layout{3, 8, KvPrecision::bf16};
  EXPECT_EQ(layout.key_bytes(), 8 * 16 * 2);
  EXPECT_EQ(layout.head_bytes(), 8 * 16 * 2 + 16 * 16 * 2);
  EXPECT_EQ(layout.block_bytes(), 3 * 768);
  const KvBlockLayout small{3, 8, KvPrecision::int8};
  EXPECT_EQ(small.scales_offset(), 8 * 16 + 16 * 16);
  EXPECT_EQ(small.block_bytes(), 3 * (8 * 16 + 16 * 16 + 2 * 16 * 4));
}

}  // namespace
}  // namespace troupe::kernels
