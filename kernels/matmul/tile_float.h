#pragma once
// One group of columns of a tile against float32 activations. Everything here has internal linkage.
#include "kernels/matmul/tile_vector.h"

#include <utility>

namespace troupe::kernels {
namespace {

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

}  // namespace
}  // namespace troupe::kernels
