#pragma once
// Rounding and packing of activations, compiled once per instruction set: everything here has
// internal linkage, and the loops over a group are written for the compiler to vectorise. Every
// operation is exact or rounded once, so all instruction sets give the same bits.
#include "kernels/matmul/layout.h"

#include <cstdint>
#include <cstring>

namespace troupe::kernels {
namespace {

using layout::kGroup;

/// Magnitudes below this count as zero in the integer precisions: their reciprocal would overflow.
constexpr float kTiny = 0x1p-100f;
/// Adding and taking away 1.5 * 2^23 rounds a float of magnitude below 2^22 to the nearest even
/// integer.
constexpr float kRound = 12582912.0f;
/// Largest code of int8x2: 256 * 127 + 127.
constexpr float kLargest16 = 32639.0f;

struct GroupFields {
  float scale;
  float sum;
  float offset;
  std::int32_t sums[2];  // of the codes of columns 0..15 and 16..31
};

/// Whether a group has a NaN or an infinity, and its largest magnitude otherwise.
struct Magnitude {
  bool finite;
  float largest;
};

inline Magnitude magnitude_of(const float* x) {
  std::int32_t largest = 0;
  for (int i = 0; i < kGroup; ++i) {
    std::int32_t bits;
    std::memcpy(&bits, x + i, 4);
    bits &= 0x7fffffff;
    largest = bits > largest ? bits : largest;
  }
  Magnitude magnitude{largest < 0x7f800000, 0};
  std::memcpy(&magnitude.largest, &largest, 4);
  return magnitude;
}

/// Smallest and largest of finite numbers, compared as integers of the same order.
inline void range_of(const float* x, float& low, float& high) {
  std::int32_t smallest = 0x7fffffff, largest = -0x7fffffff - 1;
  for (int i = 0; i < kGroup; ++i) {
    std::int32_t bits;
    std::memcpy(&bits, x + i, 4);
    bits ^= (bits >> 31) & 0x7fffffff;
    smallest = bits < smallest ? bits : smallest;
    largest = bits > largest ? bits : largest;
  }
  smallest ^= (smallest >> 31) & 0x7fffffff;
  largest ^= (largest >> 31) & 0x7fffffff;
  std::memcpy(&low, &smallest, 4);
  std::memcpy(&high, &largest, 4);
}

/// codes[i] = round((x[i] - offset) * inverse), and their sums.
inline void round_group(const float* x, float offset, float inverse, std::int32_t* codes,
                        std::int32_t* sums) {
  for (int i = 0; i < kGroup; ++i)
    codes[i] = static_cast<std::int32_t>(((x[i] - offset) * inverse + kRound) - kRound);
  for (int half = 0; half < 2; ++half) {
    std::int32_t sum = 0;
    for (int i = 0; i < kGroup / 2; ++i)
      sum += codes[half * kGroup / 2 + i];
    sums[half] = sum;
  }
}

inline GroupFields not_a_number() {
  return {__builtin_nanf(""), __builtin_nanf(""), __builtin_nanf(""), {0, 0}};
}

/// Two 8-bit terms: one 16-bit code, code = 256 * first + second with both in -128..127.
inline GroupFields quantize_group_8x2(const float* x, std::int8_t* codes) {
  const Magnitude m = magnitude_of(x);
  if (!m.finite || m.largest < kTiny) {
    std::memset(codes, 0, 2 * kGroup);
    return m.finite ? GroupFields{} : not_a_number();
  }
  GroupFields fields{m.largest / kLargest16, 0, 0, {}};
  std::int32_t wide[kGroup];
  round_group(x, 0.0f, kLargest16 / m.largest, wide, fields.sums);
  for (int i = 0; i < kGroup; ++i) {
    const std::int32_t first = (wide[i] + 128) >> 8;
    codes[i] = static_cast<std::int8_t>(first);
    codes[kGroup + i] = static_cast<std::int8_t>(wide[i] - (first << 8));
  }
  fields.sum = fields.scale * static_cast<float>(fields.sums[0] + fields.sums[1]);
  return fields;
}

/// 8-bit codes around the middle of the group's range.
inline GroupFields quantize_group_8(const float* x, std::int8_t* codes) {
  if (!magnitude_of(x).finite) {
    std::memset(codes, 0, kGroup);
    return not_a_number();
  }
  float low, high;
  range_of(x, low, high);
  const float middle = 0.5f * low + 0.5f * high;
  // Of the rounded middle, so that no code leaves -127..127.
  const float up = high - middle, down = middle - low, reach = up > down ? up : down;
  GroupFields fields{0, 32.0f * middle, middle, {0, 0}};
  if (reach < kTiny) {
    std::memset(codes, 0, kGroup);
    return fields;
  }
  fields.scale = reach / 127.0f;
  std::int32_t wide[kGroup];
  round_group(x, middle, 127.0f / reach, wide, fields.sums);
  for (int i = 0; i < kGroup; ++i)
    codes[i] = static_cast<std::int8_t>(wide[i]);
  fields.sum =
      __builtin_fmaf(fields.scale, static_cast<float>(fields.sums[0] + fields.sums[1]), fields.sum);
  return fields;
}

inline void round_group_bf16(const float* x, float* out) {
  for (int i = 0; i < kGroup; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, x + i, 4);
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    const std::uint32_t result = nan ? ((bits & 0xffff0000) | 0x00400000) : rounded;
    std::memcpy(out + i, &result, 4);
  }
}

inline void put_field(std::byte* fields, int rows, int field, int row, const void* value) {
  std::memcpy(fields + (field * rows + row) * 4, value, 4);
}

inline void put_fields(std::byte* fields, int rows, int row, const GroupFields& group) {
  const std::int32_t bias[3] = {-128 * (group.sums[0] + group.sums[1]), -128 * group.sums[0],
                                -128 * group.sums[1]};
  put_field(fields, rows, layout::kScale, row, &group.scale);
  put_field(fields, rows, layout::kSum, row, &group.sum);
  put_field(fields, rows, layout::kOffset, row, &group.offset);
  for (int i = 0; i < 3; ++i)
    put_field(fields, rows, layout::kBias + i, row, &bias[i]);
}

template <Precision kPrecision>
inline void pack_group(const float* x, std::byte* record, int rows, int row) {
  constexpr int kCodes = layout::terms_of(kPrecision) * kGroup;
  if constexpr (layout::is_integer(kPrecision)) {
    std::int8_t codes[kCodes];
    const GroupFields fields =
        kPrecision == Precision::int8 ? quantize_group_8(x, codes) : quantize_group_8x2(x, codes);
    std::memcpy(record + row * kCodes, codes, kCodes);
    put_fields(record + rows * kCodes, rows, row, fields);
  } else {
    float rounded[kGroup];
    if constexpr (kPrecision == Precision::bf16)
      round_group_bf16(x, rounded);
    else
      std::memcpy(rounded, x, sizeof rounded);
    std::memcpy(record + row * kGroup * 4, rounded, sizeof rounded);
  }
}

/// The PackKernel of a precision.
template <Precision kPrecision>
void pack_rows(const float* x, std::int64_t x_stride, std::int64_t k, int size_log2,
               std::byte* block) {
  const int rows = 1 << size_log2;
  const std::int64_t record_bytes =
      static_cast<std::int64_t>(rows) * layout::activation_bytes(kPrecision);
  const std::int64_t full = k / kGroup;
  for (int row = 0; row < rows; ++row) {
    const float* from = x + row * x_stride;
    for (std::int64_t g = 0; g < full; ++g)
      pack_group<kPrecision>(from + g * kGroup, block + g * record_bytes, rows, row);
    if (k % kGroup == 0) continue;
    float rest[kGroup] = {};
    std::memcpy(rest, from + full * kGroup, static_cast<std::size_t>(k % kGroup) * 4);
    pack_group<kPrecision>(rest, block + full * record_bytes, rows, row);
  }
}

}  // namespace
}  // namespace troupe::kernels
