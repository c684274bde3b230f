#pragma once
#include "kernels/matmul/variant.h"
#include "kernels/matmul/weight_format.h"
#include "troupe/device/thread_team.h"

#include <cstddef>
#include <cstdint>

namespace troupe::kernels {

/// Activations x[rows, k] rounded to a precision, in the layout of the matmul kernels: made once
/// and used by every product that shares them (q, k and v; gate and up). A view of memory that the
/// caller owns; cheap to copy.
///
/// A group of 32 activations with a NaN or an infinity becomes NaN in the integer precisions, and
/// so do all products of that row: nothing is clamped. A group whose magnitudes are all below
/// 2^-100 counts as zero there.
class PackedActivations {
 public:
  PackedActivations() = default;

  /// Bytes of memory for `rows` rows of `k` numbers, whichever variant packs them.
  static std::size_t bytes(Precision precision, std::int64_t rows, std::int64_t k);

  /// Pre: `memory` has at least bytes(precision, rows, k) bytes, aligned to 4 (64 is faster).
  PackedActivations(const MatmulVariant& variant, Precision precision, std::int64_t rows,
                    std::int64_t k, std::byte* memory);

  /// Rounds and packs one block of rows. x: float32 [rows, k], row r at x + r * x_stride. Different
  /// blocks may be packed by different threads at the same time.
  void pack_block(const float* x, std::int64_t x_stride, std::int64_t block) const;

  /// Packs all blocks on this thread.
  void pack(const float* x, std::int64_t x_stride) const;

  /// Packs all blocks with all workers; to be called by every worker inside ThreadTeam::run.
  /// Barriers as for ThreadTeam::next_chunk.
  void pack(ThreadTeam& team, const float* x, std::int64_t x_stride) const;

  std::int64_t rows() const { return rows_; }
  std::int64_t k() const { return k_; }
  std::int64_t num_groups() const { return (k_ + 31) / 32; }
  Precision precision() const { return precision_; }
  const MatmulVariant& variant() const { return *variant_; }

  /// Rows are cut into blocks: as many of the variant's largest size as fit, then at most one of
  /// each smaller power of two.
  struct Block {
    std::int64_t first_row;
    int size_log2;
    std::byte* data;
  };
  std::int64_t num_blocks() const { return num_blocks_; }
  Block block(std::int64_t index) const;

 private:
  const MatmulVariant* variant_ = nullptr;
  Precision precision_ = Precision::f32;
  int largest_log2_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t k_ = 0;
  std::int64_t num_blocks_ = 0;
  std::int64_t row_bytes_ = 0;
  std::byte* memory_ = nullptr;
};

}  // namespace troupe::kernels
