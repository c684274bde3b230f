#include "kernels/paged_attention/paged_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace troupe::kernels {
namespace {

std::vector<CpuLevel> levels() {
  std::vector<CpuLevel> result;
  for (const auto level : {CpuLevel::portable, CpuLevel::avx2, CpuLevel::avx512})
    if (level <= cpu_level()) result.push_back(level);
  return result;
}

/// A sequence of random queries, keys and values, stored in blocks of random order.
class Sequence {
 public:
  Sequence(const KvBlockLayout& layout, int group, int length, unsigned seed, float spread = 1)
      : layout_(layout), num_heads_(layout.num_kv_heads * group), length_(length) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, spread);
    const auto fill = [&](std::vector<float>& values, int width) {
      values.resize(static_cast<std::size_t>(length) * static_cast<std::size_t>(width));
      for (float& value : values)
        value = normal(random);
    };
    fill(queries_, num_heads_ * layout.head_dim);
    fill(keys_, layout.num_kv_heads * layout.head_dim);
    fill(values_, layout.num_kv_heads * layout.head_dim);
    const int blocks = (length + kBlockSize - 1) / kBlockSize;
    table_.resize(static_cast<std::size_t>(blocks));
    for (int i = 0; i < blocks; ++i)
      table_[static_cast<std::size_t>(i)].value = static_cast<unsigned>(2 * i + 1);
    std::shuffle(table_.begin(), table_.end(), random);
    pool_.assign(static_cast<std::size_t>(layout.block_bytes()) * (2 * table_.size() + 1),
                 std::byte{0});
  }

  /// Stores positions 0 .. count - 1; every other slot of the pool holds NaN.
  void store(CpuLevel level, int count) {
    poison();
    const int width = layout_.num_kv_heads * layout_.head_dim;
    for (int t = 0; t < count; ++t)
      paged_attention_for(level, layout_.precision)
          .write({&keys_[static_cast<std::size_t>(t * width)],
                  &values_[static_cast<std::size_t>(t * width)], block(t), t % kBlockSize,
                  layout_});
  }

  /// Sees `window` tokens back; the blocks that no position from `first` on needs become kNoBlock.
  void slide(int window, int first = 0) {
    window_ = window;
    for (int i = 0; i < first_seen(first, window) / kBlockSize; ++i)
      table_[static_cast<std::size_t>(i)].value = UINT32_MAX;
  }

  AttentionRows rows(int first, int count, std::vector<float>& output) {
    const std::int64_t width = num_heads_ * layout_.head_dim;
    output.resize(queries_.size(), -1);
    scratch_.resize(static_cast<std::size_t>(attention_scratch_floats(layout_)));
    return {&queries_[static_cast<std::size_t>(first * width)],
            width,
            &output[static_cast<std::size_t>(first * width)],
            width,
            count,
            first,
            num_heads_,
            0,
            pool_.data(),
            table_.data(),
            layout_,
            1.0f / std::sqrt(static_cast<float>(layout_.head_dim)),
            scratch_.data(),
            window_};
  }

  template <class Call>
  void each_head(AttentionRows rows, const Call& call) {
    for (rows.kv_head = 0; rows.kv_head < layout_.num_kv_heads; ++rows.kv_head)
      call(rows);
  }

  std::vector<float> attend(CpuLevel level, int step) {
    std::vector<float> output;
    for (int first = 0; first < length_; first += step)
      each_head(rows(first, std::min(step, length_ - first), output),
                paged_attention_for(level, layout_.precision).attend);
    return output;
  }

  std::vector<float> reference() {
    std::vector<float> output;
    each_head(rows(0, length_, output), paged_attention_reference);
    return output;
  }

  std::byte* block(int position) {
    const auto id = table_[static_cast<std::size_t>(position / kBlockSize)].value;
    return pool_.data() + id * layout_.block_bytes();
  }

  std::vector<float> queries_, keys_, values_;
  std::vector<BlockId> table_;
  std::vector<std::byte> pool_;

 private:
  /// Fills every slot with NaN, but the padding of values, which stays zero.
  void poison() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> nans(keys_.size(), nan);
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(pool_.size());
         at += layout_.block_bytes())
      for (int slot = 0; slot < kBlockSize; ++slot)
        kv_write_reference({nans.data(), nans.data(), pool_.data() + at, slot, layout_});
  }

  KvBlockLayout layout_;
  int num_heads_;
  int length_;
  int window_ = 0;
  std::vector<float> scratch_;
};

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float most = a.size() == b.size() ? 0 : 1e9f;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) return 1e9f;
    most = std::max(most, std::abs(a[i] - b[i]));
  }
  return most;
}

class PagedAttentionShapes
    : public testing::TestWithParam<std::tuple<KvPrecision, std::tuple<int, int, int, int>>> {
 protected:
  Sequence sequence(unsigned seed) const {
    const auto& [precision, shape] = GetParam();
    const auto& [kv_heads, group, head_dim, length] = shape;
    return Sequence({kv_heads, head_dim, precision}, group, length, seed);
  }
  int length() const { return std::get<3>(std::get<1>(GetParam())); }
};

TEST_P(PagedAttentionShapes, EveryVariantIsCloseToTheReference) {
  for (const auto level : levels()) {
    auto sequence = this->sequence(1);
    sequence.store(level, length());
    EXPECT_LT(largest_difference(sequence.attend(level, length()), sequence.reference()), 2e-6f)
        << to_string(level);
  }
}

TEST_P(PagedAttentionShapes, EveryVariantStoresTheBitsOfTheReference) {
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

TEST_P(PagedAttentionShapes, SlidingWindowsAreCloseToTheReferenceAndTheSameBitsHoweverCut) {
  for (const int window : {1, 2, 15, 16, 17, 40, 255, 256, 300}) {
    auto first = sequence(9);
    first.slide(window);
    first.store(CpuLevel::portable, length());
    const auto expected = first.attend(CpuLevel::portable, length());
    EXPECT_LT(largest_difference(expected, first.reference()), 2e-6f) << window;
    for (const auto level : levels()) {
      auto other = sequence(9);
      other.slide(window);
      other.store(level, length());
      for (const int step : {1, 7, 64, length()})
        ASSERT_EQ(other.attend(level, step), expected)
            << to_string(level) << ", window " << window << ", calls of " << step;
    }
  }
}

TEST_P(PagedAttentionShapes, EveryVariantStoresAndComputesTheSameBits) {
  auto first = sequence(2);
  first.store(CpuLevel::portable, length());
  const auto output = first.attend(CpuLevel::portable, length());
  for (const auto level : levels()) {
    auto other = sequence(2);
    other.store(level, length());
    EXPECT_EQ(other.pool_, first.pool_) << to_string(level);
    EXPECT_EQ(other.attend(level, length()), output) << to_string(level);
  }
}

TEST_P(PagedAttentionShapes, GivesTheSameBitsForEveryCutIntoCalls) {
  for (const auto level : levels()) {
    auto sequence = this->sequence(3);
    sequence.store(level, length());
    const auto whole = sequence.attend(level, length());
    for (const int step : {1, 3, 7, 16})
      EXPECT_EQ(sequence.attend(level, step), whole) << step;
  }
}

/// The output of positions first .. length - 1 when single chunks are handed out.
std::vector<float> attend_by_chunks(Sequence& sequence, CpuLevel level, const KvBlockLayout& layout,
                                    int first, int length) {
  const auto& kernels = paged_attention_for(level, layout.precision);
  std::vector<float> output;
  sequence.each_head(sequence.rows(first, length - first, output), [&](const AttentionRows& rows) {
    const int chunks = (length - 1) / kAttentionChunk + 1 - rows.first_chunk();
    std::vector<float> partials(
        static_cast<std::size_t>(rows.num_queries() * chunks * attention_partial_floats(layout)));
    for (int chunk = rows.first_chunk() + chunks - 1; chunk >= rows.first_chunk(); --chunk)
      kernels.attend_chunk(rows, chunk, chunks, partials.data());
    kernels.combine(rows, chunks, partials.data());
  });
  return output;
}

TEST_P(PagedAttentionShapes, SplittingTheContextOverThreadsChangesNoBit) {
  const auto& [precision, shape] = GetParam();
  const KvBlockLayout layout{std::get<0>(shape), std::get<2>(shape), precision};
  for (const auto level : levels())
    for (const int window : {0, 20, 270}) {
      auto sequence = this->sequence(4);
      sequence.slide(window);
      sequence.store(level, length());
      EXPECT_EQ(attend_by_chunks(sequence, level, layout, 0, length()),
                sequence.attend(level, length()))
          << window;
    }
}

using Shape = std::tuple<int, int, int, int>;  // KV heads, query heads for each, head_dim, tokens

std::string shape_name(const testing::TestParamInfo<std::tuple<KvPrecision, Shape>>& info) {
  const auto& [kv_heads, group, head_dim, length] = std::get<1>(info.param);
  return std::string(to_string(std::get<0>(info.param))) + "_" + std::to_string(kv_heads) + "x" +
         std::to_string(group) + "x" + std::to_string(head_dim) + "_tokens" +
         std::to_string(length);
}

INSTANTIATE_TEST_SUITE_P(Sizes, PagedAttentionShapes,
                         testing::Combine(testing::Values(KvPrecision::f32, KvPrecision::bf16,
                                                          KvPrecision::f16, KvPrecision::int8),
                                          testing::Values(Shape{1, 1, 64, 1}, Shape{3, 3, 64, 37},
                                                          Shape{2, 4, 128, 16}, Shape{4, 2, 8, 49},
                                                          Shape{1, 5, 80, 33}, Shape{1, 3, 40, 259},
                                                          Shape{2, 1, 16, 530})),
                         shape_name);

TEST(PagedAttention, WeighsTwoTokensAsComputedByHand) {
  // Scores 0 and ln 3 give the weights 1/4 and 3/4.
  Sequence sequence({1, 1, KvPrecision::f32}, 1, 2, 0);
  sequence.queries_ = {1, 1};
  sequence.keys_ = {0, std::log(3.0f)};
  sequence.values_ = {8, 4};
  for (const auto level : levels()) {
    sequence.store(level, 2);
    const auto output = sequence.attend(level, 2);
    EXPECT_FLOAT_EQ(output[0], 8);
    EXPECT_FLOAT_EQ(output[1], 5);
  }
}

TEST(PagedAttention, NeverLooksAtSlotsPastThePosition) {
  // Slots that were not written hold NaN (Sequence::store), also those of a block in use.
  for (const auto level : levels()) {
    Sequence sequence({2, 64, KvPrecision::bf16}, 3, 40, 5);
    sequence.store(level, 21);
    std::vector<float> output;
    sequence.each_head(sequence.rows(17, 4, output),
                       paged_attention_for(level, KvPrecision::bf16).attend);
    const std::int64_t width = 6 * 64;
    for (std::int64_t i = 17 * width; i < 21 * width; ++i)
      ASSERT_TRUE(std::isfinite(output[static_cast<std::size_t>(i)]));
  }
}

TEST(PagedAttention, NeverLooksAtBlocksBeforeTheWindow) {
  // The table has no block there: block UINT32_MAX of the pool is no memory of this process.
  constexpr int kLength = 560, kFirst = 530, kWindow = 40;
  for (const auto precision : {KvPrecision::f32, KvPrecision::bf16, KvPrecision::int8}) {
    const KvBlockLayout layout{2, 64, precision};
    for (const auto level : levels()) {
      Sequence sequence(layout, 3, kLength, 10);
      sequence.slide(kWindow);
      sequence.store(level, kLength);
      const auto expected = sequence.attend(level, kLength);
      sequence.slide(kWindow, kFirst);
      std::vector<float> output;
      sequence.each_head(sequence.rows(kFirst, kLength - kFirst, output),
                         paged_attention_for(level, precision).attend);
      const auto split = attend_by_chunks(sequence, level, layout, kFirst, kLength);
      for (std::size_t i = kFirst * 6 * 64; i < expected.size(); ++i) {
        ASSERT_EQ(output[i], expected[i]);
        ASSERT_EQ(split[i], expected[i]);
      }
    }
  }
}

TEST(PagedAttention, AWindowOfTwoWeighsTwoTokensAsComputedByHand) {
  // Scores 5, 0 and ln 3; the first token is out of sight, the others weigh 1/4 and 3/4.
  Sequence sequence({1, 1, KvPrecision::f32}, 1, 3, 0);
  sequence.queries_ = {1, 1, 1};
  sequence.keys_ = {5, 0, std::log(3.0f)};
  sequence.values_ = {100, 8, 4};
  sequence.slide(2);
  for (const auto level : levels()) {
    sequence.store(level, 3);
    EXPECT_FLOAT_EQ(sequence.attend(level, 3)[2], 5);
    EXPECT_FLOAT_EQ(sequence.reference()[2], 5);
  }
}

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

TEST(PagedAttention, QuantizesAsComputedByHand) {
  for (const auto level : levels()) {
    const auto [numbers, scale] = quantized(level, {254, -254, 3, -3, 5, 1, -1, 0.99f});
    EXPECT_EQ(scale, 2);
    EXPECT_EQ(numbers, (std::vector<int>{127, -127, 2, -2, 2, 0, 0, 0}));  // ties to even
  }
}

TEST(PagedAttention, QuantizesZerosSpecksAndNumbersThatAreNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto level : levels()) {
    EXPECT_EQ(quantized(level, {0, -0.0f}), (std::pair{std::vector{0, 0}, 0.0f}));
    EXPECT_EQ(quantized(level, {1e-38f, -1e-40f}), (std::pair{std::vector{0, 0}, 0.0f}));
    EXPECT_EQ(quantized(level, {3e38f, -3e38f}).first, (std::vector{127, -127}));
    EXPECT_TRUE(std::isnan(quantized(level, {1, infinity}).second));
    EXPECT_TRUE(std::isnan(quantized(level, {1, -std::nanf("")}).second));
  }
}

TEST(PagedAttention, ScoresPastTheRangeOfFloat16StayFinite) {
  for (const auto precision : {KvPrecision::f32, KvPrecision::bf16, KvPrecision::f16})
    for (const auto level : levels()) {
      Sequence sequence({1, 128, precision}, 1, 3, 6);
      std::fill(sequence.queries_.begin(), sequence.queries_.end(), 30.0f);
      std::fill(sequence.keys_.begin(), sequence.keys_.end(), 30.0f);
      sequence.store(level, 3);
      EXPECT_LT(largest_difference(sequence.attend(level, 3), sequence.reference()), 1e-5f);
    }
}

TEST(PagedAttention, ANanReachesEveryQueryThatSeesItAndNoOther) {
  for (const auto level : levels()) {
    for (const auto precision : {KvPrecision::bf16, KvPrecision::int8})
      for (auto damaged : {&Sequence::keys_, &Sequence::values_}) {
        Sequence sequence({1, 32, precision}, 1, 20, 7);
        sequence.slide(6);
        (sequence.*damaged)[10 * 32] = std::numeric_limits<float>::quiet_NaN();
        sequence.store(level, 20);
        const auto output = sequence.attend(level, 20);
        for (std::size_t position = 0; position < 20; ++position)
          EXPECT_EQ(std::isfinite(output[position * 32]), position < 10 || position >= 16)
              << position;
      }
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
