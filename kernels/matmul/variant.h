#pragma once
#include "kernels/matmul/weight_format.h"
#include "troupe/device/cpu_features.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace troupe::kernels {

/// Work for one call of a tile kernel: tiles of 16 weight rows against one block of activation
/// rows.
struct TileJob {
  const std::byte* weights;  // the first tile
  std::int64_t num_tiles;
  std::int64_t tile_bytes;
  std::int64_t num_groups;       // of 32 columns
  const std::byte* activations;  // the block
  float* y;                      // of the block's first row and the first tile's first weight row
  std::int64_t y_stride;
  std::int64_t num_outputs;  // weight rows in these tiles; below 16 * num_tiles when the last tile
                             // is not full
  bool accumulate;
};
using TileKernel = void (*)(const TileJob& job);

/// Rounds `1 << size_log2` rows of k activations, row r at x + r * x_stride, and writes them as one
/// block.
using PackKernel = void (*)(const float* x, std::int64_t x_stride, std::int64_t k, int size_log2,
                            std::byte* block);

/// The kernels for one instruction set.
struct MatmulVariant {
  std::string_view name;
  CpuLevel level;
  int largest_block_log2[kPrecisions];
  PackKernel pack[kPrecisions];
  /// By format, precision and block size (log2); null where precision_for(format, precision)
  /// differs.
  TileKernel tiles[kWeightFormats][kPrecisions][4];
};

/// Every variant this build has and this processor can run, the fastest first; the last one is
/// portable.
std::span<const MatmulVariant* const> matmul_variants();

/// The variant to use: the fastest one. TROUPE_CPU (see cpu_level) lowers the choice.
const MatmulVariant& matmul_variant();

}  // namespace troupe::kernels
