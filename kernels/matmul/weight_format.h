#pragma once
#include <cstdint>
#include <string_view>

namespace troupe::kernels {

/// How a packed matrix keeps its weights. In the grouped formats a weight is
/// `scale * (code - zero point) + minimum`, with one scale (and minimum) per row and group of
/// columns.
enum class WeightFormat : std::uint8_t {
  f32,            // plain float32
  bf16,           // plain bfloat16
  int4,           // codes 0..15, zero point 8, groups of 32, float16 scales (Q4_0)
  int4_min,       // codes 0..15, groups of 32, float16 scales and minimums (Q4_1)
  int4_min_wide,  // codes 0..15, groups of 32, float32 scales and minimums (Q4_K)
  int8,           // codes -128..127, groups of 32, float16 scales (Q8_0, Q5_0)
  int8_min,       // codes -128..127, groups of 32, float32 scales and minimums (Q5_1, Q5_K)
  int8_16,        // codes -128..127, groups of 16, float32 scales (Q6_K)
};
inline constexpr int kWeightFormats = 8;

/// Name of a format, such as "int4_min".
constexpr std::string_view to_string(WeightFormat format) {
  constexpr std::string_view kNames[kWeightFormats] = {
      "f32", "bf16", "int4", "int4_min", "int4_min_wide", "int8", "int8_min", "int8_16"};
  return kNames[static_cast<int>(format)];
}

/// Whether weights are integer codes with scales.
constexpr bool is_grouped(WeightFormat format) {
  return format >= WeightFormat::int4;
}

/// Columns that share a scale. Pre: is_grouped(format).
constexpr int group_size(WeightFormat format) {
  return format == WeightFormat::int8_16 ? 16 : 32;
}

/// Whether the groups have a minimum.
constexpr bool has_minimum(WeightFormat format) {
  return format == WeightFormat::int4_min || format == WeightFormat::int4_min_wide ||
         format == WeightFormat::int8_min;
}

/// How activations enter a product. Accumulation is in float32 in each of them.
enum class Precision : std::uint8_t {
  f32,     // as they are
  bf16,    // rounded to bfloat16, to the nearest even
  bf16x2,  // the sum of two such terms, x rounded and the rest of x rounded: 16 bits or more
  int8,    // per group of 32: an offset and 8-bit codes around it
  int8x2,  // per group of 32: two 8-bit terms, together a 16-bit code; closer to float32 than bf16
};
inline constexpr int kPrecisions = 5;

/// Name of a precision, such as "int8x2".
constexpr std::string_view to_string(Precision precision) {
  constexpr std::string_view kNames[kPrecisions] = {"f32", "bf16", "bf16x2", "int8", "int8x2"};
  return kNames[static_cast<int>(precision)];
}

/// Whether activations become integer codes with scales.
constexpr bool is_integer(Precision precision) {
  return precision >= Precision::int8;
}

/// The precision in which activations meet weights of this format: integer activations need integer
/// weights, so plain matrices take float32 activations instead, which is never less exact.
constexpr Precision precision_for(WeightFormat format, Precision wanted) {
  return is_grouped(format) || !is_integer(wanted) ? wanted : Precision::f32;
}

}  // namespace troupe::kernels
