#pragma once
// How packed weights and activations lie in memory. For the files of this folder only. No functions
// with external linkage: this header is compiled for several instruction sets.
#include "kernels/matmul/weight_format.h"

#include <cstddef>
#include <cstdint>

namespace troupe::kernels::layout {

/// A tile is 16 rows of weights; the columns are cut into groups of 32. Tiles follow each other,
/// and in a tile the records of its groups do, so that a product reads one stream of memory from
/// front to back.
constexpr int kTileRows = 16;
constexpr int kGroup = 32;

/// Record of one tile and group: scales [subgroups][16], minimums [16], then the codes.
/// * 8 bits: [8 units][16 rows][4 columns], biased by 128 to be unsigned.
/// * 4 bits: [4][16 rows][4 bytes]; byte j of vector v holds column 8v + j in its low half and 8v +
/// 4 + j in its
///   high half.
/// * bf16: [16 pairs of columns][16 rows][2 columns]; f32: [32 columns][16 rows].
struct Record {
  int scale_bytes;  // of one scale or minimum: 2 or 4
  int subgroups;    // scales per row
  bool minimum;
  int code_bytes;

  constexpr int scales_bytes() const { return subgroups * kTileRows * scale_bytes; }
  constexpr int codes_at() const {
    return scales_bytes() + (minimum ? kTileRows * scale_bytes : 0);
  }
  constexpr int bytes() const { return codes_at() + code_bytes; }
};

constexpr Record record_of(WeightFormat format) {
  switch (format) {
    case WeightFormat::f32:
      return {0, 0, false, kTileRows * kGroup * 4};
    case WeightFormat::bf16:
      return {0, 0, false, kTileRows * kGroup * 2};
    case WeightFormat::int4:
      return {2, 1, false, kTileRows * kGroup / 2};
    case WeightFormat::int4_min:
      return {2, 1, true, kTileRows * kGroup / 2};
    case WeightFormat::int4_min_wide:
      return {4, 1, true, kTileRows * kGroup / 2};
    case WeightFormat::int8:
      return {2, 1, false, kTileRows * kGroup};
    case WeightFormat::int8_min:
      return {4, 1, true, kTileRows * kGroup};
    case WeightFormat::int8_16:
      return {4, 2, false, kTileRows * kGroup};
  }
  return {};
}

/// Activations lie in blocks of R rows, R = 8, 4, 2 or 1: rows are cut into blocks of the
/// largest size first. In a block the records of the groups follow each other. Record of a group:
/// * f32, bf16, bf16x2: [R][32] float32; of bf16x2 the sum of both terms, which float32 holds.
/// * int8: codes [R][32], then the fields; int8x2: codes [R][2 terms][32], then the fields.
/// Fields, each [R] of 4 bytes:
///   scale      float32: x = scale * code (+ offset); int8x2: code = 256 * first + second term
///   sum        float32: of the group's 32 rounded activations
///   offset     float32: int8 only, otherwise 0
///   bias       int32: -128 * (sum of the group's codes), which takes back the bias of 8-bit
///   weights bias_first, bias_second: the same for columns 0..15 and 16..31
enum Field { kScale, kSum, kOffset, kBias, kBiasFirst, kBiasSecond, kFields };

constexpr int terms_of(Precision precision) {
  return precision == Precision::int8x2 ? 2 : 1;
}

/// Bytes of one row in one group.
constexpr int activation_bytes(Precision precision) {
  return is_integer(precision) ? terms_of(precision) * kGroup + kFields * 4 : kGroup * 4;
}

constexpr int kBlockSizes = 4;  // 1, 2, 4 and 8 rows

}  // namespace troupe::kernels::layout
