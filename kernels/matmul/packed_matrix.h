#pragma once
#include "kernels/matmul/weight_arena.h"
#include "kernels/matmul/weight_format.h"
#include "troupe/api/result.h"
#include "troupe/device/thread_team.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace troupe::kernels {

/// A matrix W[n, k] as a model file gives it, row by row. Of the two functions the one that
/// `format` needs is called, once per row, from any thread of the team that packs.
struct WeightSource {
  std::int64_t n = 0;  // rows, the outputs of the product
  std::int64_t k = 0;  // columns, the length of an input
  WeightFormat format = WeightFormat::f32;

  /// f32, bf16: writes the k weights of `row`. For bf16 they must be exact in bfloat16.
  std::function<void(std::int64_t row, float* weights)> read_floats;

  /// Grouped formats: writes the k codes, and k / group_size(format) scales and (if the format has
  /// them) minimums. Codes are as listed at WeightFormat: 0..15 or -128..127. float16 formats need
  /// scales and minimums that are exact in float16.
  std::function<void(std::int64_t row, std::int8_t* codes, float* scales, float* minimums)>
      read_groups;
};

/// Weights W[n, k] in the layout of the matmul kernels, which serves one row of activations as well
/// as many. Packing loses nothing: every weight is the float32 number the file stands for.
/// Immutable; any thread may read it.
class PackedMatrix {
 public:
  PackedMatrix() = default;

  /// Packs a matrix with all workers of `team`, into memory of `arena` (one for all matrices of a
  /// model). Errors: invalid_argument (n or k not positive, k no multiple of 32 in a grouped
  /// format, a code, scale or weight that the format cannot hold exactly: the message names the
  /// row), resource_exhausted.
  static Result<PackedMatrix> pack(const WeightSource& source, ThreadTeam& team,
                                   WeightArena& arena);

  /// As above, in memory of its own.
  static Result<PackedMatrix> pack(const WeightSource& source, ThreadTeam& team);

  std::int64_t n() const { return n_; }
  std::int64_t k() const { return k_; }
  WeightFormat format() const { return format_; }

  /// Memory of the packed weights in bytes: what one product reads.
  std::size_t bytes() const { return static_cast<std::size_t>(num_tiles() * tile_bytes_); }

  /// The weight at (row, column) in float32; slow, for the reference and for tests.
  float weight(std::int64_t row, std::int64_t column) const;

  /// Tiles of 16 rows, the last one filled up with zeros.
  std::int64_t num_tiles() const { return (n_ + 15) / 16; }
  /// Groups of 32 columns, the last one filled up with zeros.
  std::int64_t num_groups() const { return (k_ + 31) / 32; }
  std::int64_t tile_bytes() const { return tile_bytes_; }
  const std::byte* tile(std::int64_t index) const { return memory_.get() + index * tile_bytes_; }

 private:
  std::int64_t n_ = 0;
  std::int64_t k_ = 0;
  std::int64_t tile_bytes_ = 0;
  WeightFormat format_ = WeightFormat::f32;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace troupe::kernels
