#pragma once
#include "kernels/paged_attention/paged_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace troupe::kernels {

/// The variants that this machine can run.
inline std::vector<CpuLevel> levels() {
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

/// A huge number when they are not numbers of the same size.
inline float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float most = a.size() == b.size() ? 0 : 1e9f;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) return 1e9f;
    most = std::max(most, std::abs(a[i] - b[i]));
  }
  return most;
}

/// The output of positions first .. length - 1 when single chunks are handed out.
inline std::vector<float> attend_by_chunks(Sequence& sequence, CpuLevel level,
                                           const KvBlockLayout& layout, int first, int length) {
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

using Shape = std::tuple<int, int, int, int>;  // KV heads, query heads for each, head_dim, tokens

/// A suite over precisions and shapes; INSTANTIATE_TEST_SUITE_P(Sizes, SUITE, all_shapes(),
/// shape_name).
class PagedAttentionShapes : public testing::TestWithParam<std::tuple<KvPrecision, Shape>> {
 protected:
  Sequence sequence(unsigned seed) const {
    const auto& [precision, shape] = GetParam();
    const auto& [kv_heads, group, head_dim, length] = shape;
    return Sequence({kv_heads, head_dim, precision}, group, length, seed);
  }
  int length() const { return std::get<3>(std::get<1>(GetParam())); }
};

inline std::string shape_name(const testing::TestParamInfo<std::tuple<KvPrecision, Shape>>& info) {
  const auto& [kv_heads, group, head_dim, length] = std::get<1>(info.param);
  return std::string(to_string(std::get<0>(info.param))) + "_" + std::to_string(kv_heads) + "x" +
         std::to_string(group) + "x" + std::to_string(head_dim) + "_tokens" +
         std::to_string(length);
}

inline auto all_shapes() {
  return testing::Combine(
      testing::Values(KvPrecision::f32, KvPrecision::bf16, KvPrecision::f16, KvPrecision::int8),
      testing::Values(Shape{1, 1, 64, 1}, Shape{3, 3, 64, 37}, Shape{2, 4, 128, 16},
                      Shape{4, 2, 8, 49}, Shape{1, 5, 80, 33}, Shape{1, 3, 40, 259},
                      Shape{2, 1, 16, 530}));
}

}  // namespace troupe::kernels
