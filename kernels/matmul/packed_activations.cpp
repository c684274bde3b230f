#include "kernels/matmul/packed_activations.h"

#include "kernels/matmul/layout.h"
#include "troupe/api/check.h"

namespace troupe::kernels {
namespace {

std::int64_t bytes_of_row(Precision precision, std::int64_t k) {
  return (k + layout::kGroup - 1) / layout::kGroup * layout::activation_bytes(precision);
}

}  // namespace

std::size_t PackedActivations::bytes(Precision precision, std::int64_t rows, std::int64_t k) {
  return static_cast<std::size_t>(rows * bytes_of_row(precision, k));
}

PackedActivations::PackedActivations(const MatmulVariant& variant, Precision precision,
                                     std::int64_t rows, std::int64_t k, std::byte* memory)
    : variant_(&variant),
      precision_(precision),
      largest_log2_(variant.largest_block_log2[static_cast<int>(precision)]),
      rows_(rows),
      k_(k),
      row_bytes_(bytes_of_row(precision, k)),
      memory_(memory) {
  TROUPE_CHECK(rows >= 0 && k > 0);
  const std::int64_t rest = rows & ((std::int64_t{1} << largest_log2_) - 1);
  num_blocks_ =
      (rows >> largest_log2_) + __builtin_popcountll(static_cast<unsigned long long>(rest));
}

PackedActivations::Block PackedActivations::block(std::int64_t index) const {
  std::int64_t full = rows_ >> largest_log2_;
  if (index < full) {
    const std::int64_t row = index << largest_log2_;
    return {row, largest_log2_, memory_ + row * row_bytes_};
  }
  std::int64_t row = full << largest_log2_;
  for (int size_log2 = largest_log2_ - 1;; --size_log2) {
    if ((rows_ >> size_log2 & 1) == 0) continue;
    if (full++ == index) return {row, size_log2, memory_ + row * row_bytes_};
    row += std::int64_t{1} << size_log2;
  }
}

void PackedActivations::pack_block(const float* x, std::int64_t x_stride,
                                   std::int64_t index) const {
  const Block b = block(index);
  variant_->pack[static_cast<int>(precision_)](x + b.first_row * x_stride, x_stride, k_,
                                               b.size_log2, b.data);
}

void PackedActivations::pack(const float* x, std::int64_t x_stride) const {
  for (std::int64_t i = 0; i < num_blocks_; ++i)
    pack_block(x, x_stride, i);
}

void PackedActivations::pack(ThreadTeam& team, const float* x, std::int64_t x_stride) const {
  for (auto i = team.next_chunk(num_blocks_); i >= 0; i = team.next_chunk(num_blocks_))
    pack_block(x, x_stride, i);
}

}  // namespace troupe::kernels
