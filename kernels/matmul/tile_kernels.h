#pragma once
// The tile kernels, written once over a vector type V of 16 lanes (one lane per weight row) and
// compiled once per instruction set: everything here has internal linkage. The order of operations
// written here is the contract that gives every instruction set, and every number of rows, the same
// bits.
//
// V has: F (16 float32), I (16 int32); zero, load, load_half, store, store_some, broadcast, add,
// mul, fma on F; and load_int, broadcast_int, add_int, and_int, shift_left<n>, shift_right<n>
// (logical), arithmetic_right<n>, to_float, as_float; Codes4 and Codes8 (the codes of a tile and
// group, made ready for dots) with unpack, dot and total.
#include "kernels/matmul/layout.h"
#include "kernels/matmul/pack_kernels.h"
#include "kernels/matmul/variant.h"

#include <cstdint>
#include <utility>

namespace troupe::kernels {
namespace {

// Register arrays stay in registers only when everything is inlined and unrolled. The portable
// variant has none, and defines these as nothing before it includes this header: it would only
// compile for longer.
#if !defined(TROUPE_INLINE)
#define TROUPE_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define TROUPE_UNROLL _Pragma("unroll")
#else
#define TROUPE_UNROLL _Pragma("GCC unroll 32")
#endif
#endif

using layout::Field;
using layout::kGroup;
using layout::kTileRows;

template <WeightFormat kFormat>
constexpr layout::Record kRecord = layout::record_of(kFormat);

template <WeightFormat kFormat>
constexpr bool kFourBits = kRecord<kFormat>.code_bytes == kTileRows* kGroup / 2;

template <class V, WeightFormat kFormat>
TROUPE_INLINE typename V::F load_scale(const std::byte* at) {
  if constexpr (kRecord<kFormat>.scale_bytes == 2)
    return V::load_half(at);
  else
    return V::load(at);
}

template <class V>
TROUPE_INLINE typename V::F field(const std::byte* fields, int rows, Field which, int row) {
  return V::broadcast(fields + (which * rows + row) * 4);
}

// ---- Integer activations
// -------------------------------------------------------------------------------------

/// What has to be added to a dot of unpacked codes, so that they count from their zero point.
template <class V, WeightFormat kFormat>
TROUPE_INLINE typename V::I bias(const std::byte* fields, int rows, Field which, int row) {
  if constexpr (has_minimum(kFormat) && kFourBits<kFormat>) return V::zero_int();
  const typename V::I full = V::broadcast_int(fields + (which * rows + row) * 4);
  if constexpr (kFourBits<kFormat> && V::kBias4 == 8) return V::template arithmetic_right<4>(full);
  return full;
}

/// Exact integer dots of kCount activation rows with units kFirst..kLast of a group (a unit is four
/// columns).
template <class V, WeightFormat kFormat, Precision kPrecision, int kCount, int kFirst, int kLast,
          class Codes>
TROUPE_INLINE void dots(const Codes& codes, const std::byte* activations, const std::byte* fields,
                        int rows, int row, typename V::I (&sums)[kCount]) {
  constexpr Field kWhich = kLast - kFirst == 8 ? Field::kBias
                           : kFirst == 0       ? Field::kBiasFirst
                                               : Field::kBiasSecond;
  constexpr int kStride = layout::terms_of(kPrecision) * kGroup;
  const std::byte* from = activations + row * kStride;
  if constexpr (kPrecision == Precision::int8x2 && kCount == 1) {
    // Alone, a row has two independent chains this way.
    typename V::I firsts[1] = {V::zero_int()};
    sums[0] = bias<V, kFormat>(fields, rows, kWhich, row);
    V::template dot<1, kFirst, kLast>(codes, from, kStride, firsts);
    V::template dot<1, kFirst, kLast>(codes, from + kGroup, kStride, sums);
    sums[0] = V::add_int(V::template shift_left<8>(firsts[0]), sums[0]);
  } else if constexpr (kPrecision == Precision::int8x2) {
    TROUPE_UNROLL
    for (int i = 0; i < kCount; ++i)
      sums[i] = V::zero_int();
    V::template dot<kCount, kFirst, kLast>(codes, from, kStride, sums);
    TROUPE_UNROLL
    for (int i = 0; i < kCount; ++i)
      sums[i] = V::add_int(V::template shift_left<8>(sums[i]),
                           bias<V, kFormat>(fields, rows, kWhich, row + i));
    V::template dot<kCount, kFirst, kLast>(codes, from + kGroup, kStride, sums);
  } else {
    TROUPE_UNROLL
    for (int i = 0; i < kCount; ++i)
      sums[i] = bias<V, kFormat>(fields, rows, kWhich, row + i);
    V::template dot<kCount, kFirst, kLast>(codes, from, kStride, sums);
  }
}

/// The weights' codes of a subgroup summed, counted from their zero point, times the scale.
template <class V, WeightFormat kFormat, int kFirst, int kLast, class Codes>
TROUPE_INLINE typename V::F weight_sum(const Codes& codes, typename V::F scale) {
  constexpr int kZero = !kFourBits<kFormat> ? 128 : has_minimum(kFormat) ? 0 : V::kBias4;
  const typename V::I total = V::template total<kFirst, kLast>(codes);
  return V::mul(scale, V::to_float(V::add_int(total, V::set_int(-kZero * 4 * (kLast - kFirst)))));
}

/// Adds one (sub)group of columns to the sums of R rows. In this order, per output:
///   f = fma(float(dot), weight scale * activation scale, f)
///   f = fma(weight scale * float(sum of weight codes), activation offset, f)    int8 only
///   f = fma(weight minimum, activation sum, f)                                  formats with
///   minimums only
template <class V, WeightFormat kFormat, Precision kPrecision, int kRows, int kFirst, int kLast,
          class Codes>
TROUPE_INLINE void add_subgroup(const Codes& codes, typename V::F scale, typename V::F minimum,
                                const std::byte* activations, typename V::F (&f)[kRows]) {
  constexpr int kCount = kRows < V::kInterleave ? kRows : V::kInterleave;
  const std::byte* fields = activations + kRows * layout::terms_of(kPrecision) * kGroup;
  typename V::F offset_weight = V::zero();
  if constexpr (kPrecision == Precision::int8)
    offset_weight = weight_sum<V, kFormat, kFirst, kLast>(codes, scale);
  TROUPE_UNROLL
  for (int row = 0; row < kRows; row += kCount) {
    typename V::I sums[kCount];
    dots<V, kFormat, kPrecision, kCount, kFirst, kLast>(codes, activations, fields, kRows, row,
                                                        sums);
    TROUPE_UNROLL
    for (int i = 0; i < kCount; ++i) {
      const int r = row + i;
      f[r] = V::fma(V::to_float(sums[i]), V::mul(scale, field<V>(fields, kRows, Field::kScale, r)),
                    f[r]);
      if constexpr (kPrecision == Precision::int8)
        f[r] = V::fma(offset_weight, field<V>(fields, kRows, Field::kOffset, r), f[r]);
      if constexpr (has_minimum(kFormat))
        f[r] = V::fma(minimum, field<V>(fields, kRows, Field::kSum, r), f[r]);
    }
  }
}

template <class V, WeightFormat kFormat, Precision kPrecision, int kRows>
TROUPE_INLINE void add_integer_group(const std::byte* record, const std::byte* activations,
                                     typename V::F (&f)[kRows]) {
  constexpr layout::Record kLayout = kRecord<kFormat>;
  typename V::template Codes<kFourBits<kFormat>, has_minimum(kFormat)> codes;
  V::unpack(record + kLayout.codes_at(), codes);
  const typename V::F scale = load_scale<V, kFormat>(record);
  typename V::F minimum = V::zero();
  if constexpr (kLayout.minimum) minimum = load_scale<V, kFormat>(record + kLayout.scales_bytes());
  if constexpr (kLayout.subgroups == 2) {
    const typename V::F second = load_scale<V, kFormat>(record + kTileRows * kLayout.scale_bytes);
    add_subgroup<V, kFormat, kPrecision, kRows, 0, 4>(codes, scale, minimum, activations, f);
    add_subgroup<V, kFormat, kPrecision, kRows, 4, 8>(codes, second, minimum, activations, f);
  } else {
    add_subgroup<V, kFormat, kPrecision, kRows, 0, 8>(codes, scale, minimum, activations, f);
  }
}

// ---- Float activations
// ---------------------------------------------------------------------------------------

/// The float32 weights of columns 4 * unit .. 4 * unit + 3.
template <class V, WeightFormat kFormat, int kUnit>
TROUPE_INLINE void decode_unit(const std::byte* record, typename V::F scale, typename V::F minimum,
                               typename V::F (&weights)[4]) {
  if constexpr (kFormat == WeightFormat::f32) {
    TROUPE_UNROLL
    for (int j = 0; j < 4; ++j)
      weights[j] = V::load(record + (kUnit * 4 + j) * 64);
  } else if constexpr (kFormat == WeightFormat::bf16) {
    TROUPE_UNROLL
    for (int j = 0; j < 4; j += 2) {
      const typename V::I pair = V::load_int(record + (kUnit * 4 + j) * 32);
      weights[j] = V::as_float(V::template shift_left<16>(pair));
      weights[j + 1] = V::as_float(V::and_int(pair, V::set_int(-0x10000)));
    }
  } else {
    constexpr int kZero = !kFourBits<kFormat> ? 128 : has_minimum(kFormat) ? 0 : 8;
    constexpr int kShift = kFourBits<kFormat> ? kUnit % 2 * 4 : 0;
    const typename V::I word = V::load_int(record + kRecord<kFormat>.codes_at() +
                                           (kFourBits<kFormat> ? kUnit / 2 : kUnit) * 64);
    const typename V::I mask = V::set_int(kFourBits<kFormat> ? 15 : 255), zero = V::set_int(-kZero);
    const typename V::I codes[4] = {V::and_int(V::template shift_right<kShift>(word), mask),
                                    V::and_int(V::template shift_right<8 + kShift>(word), mask),
                                    V::and_int(V::template shift_right<16 + kShift>(word), mask),
                                    V::and_int(V::template shift_right<24 + kShift>(word), mask)};
    TROUPE_UNROLL
    for (int j = 0; j < 4; ++j) {
      const typename V::F code = V::to_float(kZero == 0 ? codes[j] : V::add_int(codes[j], zero));
      weights[j] = has_minimum(kFormat) ? V::fma(scale, code, minimum) : V::mul(scale, code);
    }
  }
}

template <class V, WeightFormat kFormat, int kRows, int kUnit>
TROUPE_INLINE void add_float_unit(const std::byte* record, const std::byte* activations,
                                  typename V::F scale, typename V::F minimum,
                                  typename V::F (&partial)[kRows]) {
  typename V::F weights[4];
  decode_unit<V, kFormat, kUnit>(record, scale, minimum, weights);
  TROUPE_UNROLL
  for (int j = 0; j < 4; ++j) {
    TROUPE_UNROLL
    for (int r = 0; r < kRows; ++r)
      partial[r] = V::fma(weights[j], V::broadcast(activations + (r * kGroup + kUnit * 4 + j) * 4),
                          partial[r]);
  }
}

/// Adds a group to the sums of R rows: the group's own sum, made by fused multiply-adds in the
/// order of the columns from zero on, is added to f.
template <class V, WeightFormat kFormat, Precision, int kRows>
TROUPE_INLINE void add_float_group(const std::byte* record, const std::byte* activations,
                                   typename V::F (&f)[kRows]) {
  constexpr layout::Record kLayout = kRecord<kFormat>;
  typename V::F scale = V::zero(), second = V::zero(), minimum = V::zero(), partial[kRows];
  if constexpr (is_grouped(kFormat)) second = scale = load_scale<V, kFormat>(record);
  if constexpr (kLayout.subgroups == 2)
    second = load_scale<V, kFormat>(record + kTileRows * kLayout.scale_bytes);
  if constexpr (kLayout.minimum) minimum = load_scale<V, kFormat>(record + kLayout.scales_bytes());
  TROUPE_UNROLL
  for (int r = 0; r < kRows; ++r)
    partial[r] = V::zero();
  [&]<int... kUnits>(std::integer_sequence<int, kUnits...>) __attribute__((always_inline)) {
    (add_float_unit<V, kFormat, kRows, kUnits>(record, activations, kUnits < 4 ? scale : second,
                                               minimum, partial),
     ...);
  }
  (std::make_integer_sequence<int, 8>());
  TROUPE_UNROLL
  for (int r = 0; r < kRows; ++r)
    f[r] = V::add(f[r], partial[r]);
}

// ---- Tiles
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
  if constexpr (layout::is_integer(kPrecision))
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
  constexpr int kLargest = layout::is_integer(kPrecision) ? V::kLargestInteger : V::kLargestFloat;
  if constexpr (precision_for(kFormat, kPrecision) != kPrecision || kRowsLog2 > kLargest)
    return nullptr;
  else if constexpr (kPrecision ==
                     Precision::bf16)  // floats that were rounded when they were packed
    return tiles<V, kFormat, Precision::f32, 1 << kRowsLog2>;
  else
    return tiles<V, kFormat, kPrecision, 1 << kRowsLog2>;
}

template <class V>
constexpr MatmulVariant make_variant(std::string_view name, CpuLevel level) {
  MatmulVariant variant{
      name,
      level,
      {V::kLargestFloat, V::kLargestFloat, V::kLargestInteger, V::kLargestInteger},
      {pack_rows<Precision::f32>, pack_rows<Precision::bf16>, pack_rows<Precision::int8>,
       pack_rows<Precision::int8x2>},
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
