#pragma once
// The tile kernels, written once over a vector type V (see tile_vector.h) and compiled once per
// instruction set: everything here has internal linkage. The order of operations written here and
// in tile_integer.h and tile_float.h is the contract that gives every instruction set, and every
// number of rows, the same bits.
#include "kernels/matmul/pack_kernels.h"
#include "kernels/matmul/tile_float.h"
#include "kernels/matmul/tile_integer.h"
#include "kernels/matmul/variant.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace troupe::kernels {
namespace {

// ---------------------------------------------------------------------------------------------------

template <class V, int kRows>
TROUPE_INLINE void store_rows(const typename V::F (&f)[kRows], float* y, std::int64_t y_stride,
                              int count, bool accumulate) {
  TROUPE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    float* to = y + r * y_stride;
    if (count == kTileRows)
      V::store(accumulate ? V::add(V::load(to), f[r]) : f[r], to);
    else
      V::store_some(f[r], to, count, accumulate);
  }
}

template <class V, WeightFormat kFormat, Precision kPrecision, int kRows>
TROUPE_INLINE void add_group(const std::byte* record, const std::byte* activations,
                             typename V::F (&f)[kRows]) {
  if constexpr (is_integer(kPrecision))
    add_integer_group<V, kFormat, kPrecision, kRows>(record, activations, f);
  else
    add_float_group<V, kFormat, kPrecision, kRows>(record, activations, f);
}

/// Records that lie between the one in use and the one that is asked for.
template <class V, WeightFormat kFormat>
constexpr int kRecordsAhead = V::kBytesAhead / kRecord<kFormat>.bytes() + 1;

template <class V, WeightFormat kFormat>
TROUPE_INLINE void prefetch_record(const std::byte* record) {
  for (int i = 0; i < kRecord<kFormat>.bytes(); i += 64)
    V::prefetch(record + i);
}

/// Tiles first, first + spacing, ... kStreams of them together: reading several streams at once is
/// what brings memory to its full bandwidth when there is one row only. Every stream ends
/// `records_left` records from here.
template <class V, WeightFormat kFormat, Precision kPrecision, int kRows, int kStreams>
TROUPE_INLINE void run_tiles(const TileJob& job, std::int64_t first, std::int64_t spacing,
                             std::int64_t records_left) {
  constexpr int kBytes = kRecord<kFormat>.bytes();
  typename V::F f[kStreams][kRows];
  TROUPE_UNROLL
  for (int s = 0; s < kStreams; ++s) {
    TROUPE_UNROLL
    for (int r = 0; r < kRows; ++r)
      f[s][r] = V::zero();
  }
  const std::byte* weights = job.weights + first * job.tile_bytes;
  const std::byte* activations = job.activations;
  const std::int64_t prefetched = records_left - kRecordsAhead<V, kFormat>;
  for (std::int64_t g = 0; g < job.num_groups; ++g) {
    TROUPE_UNROLL
    for (int s = 0; s < kStreams; ++s) {
      const std::byte* record = weights + s * spacing * job.tile_bytes;
      if (V::kBytesAhead > 0 && g < prefetched)
        prefetch_record<V, kFormat>(record + kRecordsAhead<V, kFormat> * kBytes);
      add_group<V, kFormat, kPrecision, kRows>(record, activations, f[s]);
    }
    weights += kBytes;
    activations += kRows * layout::activation_bytes(kPrecision);
  }
  TROUPE_UNROLL
  for (int s = 0; s < kStreams; ++s) {
    const std::int64_t column = (first + s * spacing) * kTileRows, left = job.num_outputs - column;
    store_rows<V, kRows>(f[s], job.y + column, job.y_stride,
                         static_cast<int>(left < kTileRows ? left : kTileRows), job.accumulate);
  }
}

template <class V, WeightFormat kFormat, Precision kPrecision, int kRows>
void tiles(const TileJob& job) {
  constexpr int kStreams = kRows == 1 ? V::kStreams : 1;
  const std::int64_t spacing = job.num_tiles / kStreams;
  if (V::kBytesAhead > 0)
    for (int s = 0; s < kStreams; ++s)
      for (int i = 0; i < V::kBytesAhead; i += 64)
        V::prefetch(job.weights + s * spacing * job.tile_bytes + i);
  for (std::int64_t tile = 0; tile < spacing; ++tile)
    run_tiles<V, kFormat, kPrecision, kRows, kStreams>(job, tile, spacing,
                                                       (spacing - tile) * job.num_groups);
  for (std::int64_t tile = spacing * kStreams; tile < job.num_tiles; ++tile)
    run_tiles<V, kFormat, kPrecision, kRows, 1>(job, tile, 0,
                                                (job.num_tiles - tile) * job.num_groups);
}

// ---- Table
// ---------------------------------------------------------------------------------------------------

template <class V, WeightFormat kFormat, Precision kPrecision, int kRowsLog2>
constexpr TileKernel tile_kernel() {
  constexpr int kLargest = is_integer(kPrecision) ? V::kLargestInteger : V::kLargestFloat;
  if constexpr (precision_for(kFormat, kPrecision) != kPrecision || kRowsLog2 > kLargest)
    return nullptr;
  else if constexpr (!is_integer(kPrecision))  // float32, rounded when it was packed
    return tiles<V, kFormat, Precision::f32, 1 << kRowsLog2>;
  else
    return tiles<V, kFormat, kPrecision, 1 << kRowsLog2>;
}

template <class V>
constexpr MatmulVariant make_variant(std::string_view name, CpuLevel level) {
  MatmulVariant variant{name,
                        level,
                        {V::kLargestFloat, V::kLargestFloat, V::kLargestFloat, V::kLargestInteger,
                         V::kLargestInteger},
                        {pack_rows<typename V::PackLoops, Precision::f32>,
                         pack_rows<typename V::PackLoops, Precision::bf16>,
                         pack_rows<typename V::PackLoops, Precision::bf16x2>,
                         pack_rows<typename V::PackLoops, Precision::int8>,
                         pack_rows<typename V::PackLoops, Precision::int8x2>},
                        {}};
  constexpr int kSizes = layout::kBlockSizes;
  [&]<int... kIndices>(std::integer_sequence<int, kIndices...>) {
    ((variant.tiles[kIndices / (kPrecisions * kSizes)][kIndices / kSizes % kPrecisions]
                   [kIndices % kSizes] =
          tile_kernel<V, static_cast<WeightFormat>(kIndices / (kPrecisions * kSizes)),
                      static_cast<Precision>(kIndices / kSizes % kPrecisions),
                      kIndices % kSizes>()),
     ...);
  }
  (std::make_integer_sequence<int, kWeightFormats * kPrecisions * kSizes>());
  return variant;
}

}  // namespace
}  // namespace troupe::kernels
