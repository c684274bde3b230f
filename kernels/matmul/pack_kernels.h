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
/// Bits of an infinity; of a NaN they are more.
constexpr std::int32_t kInfinityBits = 0x7f800000;
/// Largest code of int8x2: 256 * 127 + 127.
constexpr float kLargest16 = 32639.0f;

struct GroupFields {
  float scale;
  float sum;
  float offset;
  std::int32_t sums[2];  // of the codes of columns 0..15 and 16..31
};

/// The loops over a group in plain code. A variant may bring its own, with the same results.
struct PlainLoops {
  /// The largest of the bits without the sign: of finite numbers the largest magnitude, otherwise
  /// 0x7f800000 or more.
  static std::int32_t largest_magnitude_bits(const float* x) {
    std::int32_t largest = 0;
    for (int i = 0; i < kGroup; ++i) {
      std::int32_t bits;
      std::memcpy(&bits, x + i, 4);
      bits &= 0x7fffffff;
      largest = bits > largest ? bits : largest;
    }
    return largest;
  }

  /// Smallest and largest of finite numbers, as integers of the same order (see from_ordered).
  static void range(const float* x, std::int32_t& smallest, std::int32_t& largest) {
    smallest = 0x7fffffff;
    largest = -0x7fffffff - 1;
    for (int i = 0; i < kGroup; ++i) {
      std::int32_t bits;
      std::memcpy(&bits, x + i, 4);
      bits ^= (bits >> 31) & 0x7fffffff;
      smallest = bits < smallest ? bits : smallest;
      largest = bits > largest ? bits : largest;
    }
  }

  /// The nearest integers to (x - offset) * inverse, ties to even, and the sums of both halves.
  /// Magnitudes stay below 2^22. With one term the codes fit 8 bits; with two, code = 256 * first +
  /// second.
  template <int kTerms>
  static void round(const float* x, float offset, float inverse, std::int8_t* codes,
                    std::int32_t* sums) {
    constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding and taking it away rounds
    std::int32_t wide[kGroup];
    for (int i = 0; i < kGroup; ++i)
      wide[i] = static_cast<std::int32_t>(((x[i] - offset) * inverse + kRound) - kRound);
    for (int half = 0; half < 2; ++half) {
      std::int32_t sum = 0;
      for (int i = 0; i < kGroup / 2; ++i)
        sum += wide[half * kGroup / 2 + i];
      sums[half] = sum;
    }
    for (int i = 0; i < kGroup; ++i) {
      const std::int32_t first = kTerms == 1 ? wide[i] : (wide[i] + 128) >> 8;
      codes[i] = static_cast<std::int8_t>(first);
      if (kTerms == 2) codes[kGroup + i] = static_cast<std::int8_t>(wide[i] - first * 256);
    }
  }
};

inline float as_float(std::int32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

inline float from_ordered(std::int32_t ordered) {
  return as_float(ordered ^ ((ordered >> 31) & 0x7fffffff));
}

inline GroupFields not_a_number() {
  return {__builtin_nanf(""), __builtin_nanf(""), __builtin_nanf(""), {0, 0}};
}

/// Two 8-bit terms: one 16-bit code, code = 256 * first + second with both in -128..127.
template <class Loops>
inline GroupFields quantize_group_8x2(const float* x, std::int8_t* codes) {
  const std::int32_t bits = Loops::largest_magnitude_bits(x);
  const float largest = as_float(bits);
  if (bits >= kInfinityBits || largest < kTiny) {
    std::memset(codes, 0, 2 * kGroup);
    return bits >= kInfinityBits ? not_a_number() : GroupFields{};
  }
  GroupFields fields{largest / kLargest16, 0, 0, {}};
  Loops::template round<2>(x, 0.0f, kLargest16 / largest, codes, fields.sums);
  fields.sum = fields.scale * static_cast<float>(fields.sums[0] + fields.sums[1]);
  return fields;
}

/// 8-bit codes around the middle of the group's range.
template <class Loops>
inline GroupFields quantize_group_8(const float* x, std::int8_t* codes) {
  if (Loops::largest_magnitude_bits(x) >= kInfinityBits) {
    std::memset(codes, 0, kGroup);
    return not_a_number();
  }
  std::int32_t smallest, largest;
  Loops::range(x, smallest, largest);
  const float low = from_ordered(smallest), high = from_ordered(largest);
  const float middle = 0.5f * low + 0.5f * high;
  // Of the rounded middle, so that no code leaves -127..127.
  const float up = high - middle, down = middle - low, reach = up > down ? up : down;
  GroupFields fields{0, 32.0f * middle, middle, {0, 0}};
  if (reach < kTiny) {
    std::memset(codes, 0, kGroup);
    return fields;
  }
  fields.scale = reach / 127.0f;
  Loops::template round<1>(x, middle, 127.0f / reach, codes, fields.sums);
  fields.sum =
      __builtin_fmaf(fields.scale, static_cast<float>(fields.sums[0] + fields.sums[1]), fields.sum);
  return fields;
}

inline float nearest_bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  return as_float(static_cast<std::int32_t>(nan ? ((bits & 0xffff0000) | 0x00400000) : rounded));
}

inline void round_group_bf16(const float* x, float* out) {
  for (int i = 0; i < kGroup; ++i)
    out[i] = nearest_bf16(x[i]);
}

/// Both the difference and the sum are exact, whatever x is; an infinity becomes NaN.
inline void round_group_bf16x2(const float* x, float* out) {
  for (int i = 0; i < kGroup; ++i) {
    const float first = nearest_bf16(x[i]);
    out[i] = first + nearest_bf16(x[i] - first);
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

template <class Loops, Precision kPrecision>
inline void pack_group(const float* x, std::byte* record, int rows, int row) {
  constexpr int kCodes = layout::terms_of(kPrecision) * kGroup;
  if constexpr (is_integer(kPrecision)) {
    std::int8_t codes[kCodes];
    const GroupFields fields = kPrecision == Precision::int8 ? quantize_group_8<Loops>(x, codes)
                                                             : quantize_group_8x2<Loops>(x, codes);
    std::memcpy(record + row * kCodes, codes, kCodes);
    put_fields(record + rows * kCodes, rows, row, fields);
  } else {
    float rounded[kGroup];
    if constexpr (kPrecision == Precision::bf16)
      round_group_bf16(x, rounded);
    else if constexpr (kPrecision == Precision::bf16x2)
      round_group_bf16x2(x, rounded);
    else
      std::memcpy(rounded, x, sizeof rounded);
    std::memcpy(record + row * kGroup * 4, rounded, sizeof rounded);
  }
}

/// The PackKernel of a precision.
template <class Loops, Precision kPrecision>
void pack_rows(const float* x, std::int64_t x_stride, std::int64_t k, int size_log2,
               std::byte* block) {
  const int rows = 1 << size_log2;
  const std::int64_t record_bytes =
      static_cast<std::int64_t>(rows) * layout::activation_bytes(kPrecision);
  const std::int64_t full = k / kGroup;
  for (int row = 0; row < rows; ++row) {
    const float* from = x + row * x_stride;
    for (std::int64_t g = 0; g < full; ++g)
      pack_group<Loops, kPrecision>(from + g * kGroup, block + g * record_bytes, rows, row);
    if (k % kGroup == 0) continue;
    float rest[kGroup] = {};
    std::memcpy(rest, from + full * kGroup, static_cast<std::size_t>(k % kGroup) * 4);
    pack_group<Loops, kPrecision>(rest, block + full * record_bytes, rows, row);
  }
}

}  // namespace
}  // namespace troupe::kernels
