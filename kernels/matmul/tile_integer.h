#pragma once
// One group of columns of a tile against integer activations. Everything here has internal linkage.
#include "kernels/matmul/tile_vector.h"

namespace troupe::kernels {
namespace {

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

}  // namespace
}  // namespace troupe::kernels
