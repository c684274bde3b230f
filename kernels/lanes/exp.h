#pragma once
#include "kernels/lanes/f32x16.h"

namespace troupe::lanes {
inline namespace TROUPE_ISA {

/// e^x per lane, relative error below 2e-7 for -87.3 <= x <= 88.3; 0 below, e^88.3 above, NaN for
/// NaN. e^x = 2^n e^r with n the nearest integer to x / ln 2 and |r| <= ln 2 / 2; e^r is a Taylor
/// polynomial of degree 7, whose remainder there is 5e-9. The bits are the same on every
/// instruction set.
inline F32x16 exp(F32x16 x) {
  const F32x16 lowest = F32x16::all(-87.3f);
  const F32x16 bounded = max(lowest, min(F32x16::all(88.3f), x));
  // 1.5 * 2^23: adding it rounds to an integer, which then stands in the low bits of the fraction.
  const F32x16 shift = F32x16::all(12582912.0f);
  const F32x16 shifted = fma(bounded, F32x16::all(1.44269504f), shift);
  const F32x16 n = shifted - shift;
  // ln 2 in two parts, so that n * ln 2 is exact to twice the precision.
  const F32x16 partial = fma(n, F32x16::all(-0.693359375f), bounded);
  const F32x16 r = fma(n, F32x16::all(2.12194440e-4f), partial);
  constexpr float kTaylor[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
  F32x16 sum = F32x16::all(1.0f / 5040);
  for (const float coefficient : kTaylor)
    sum = fma(sum, r, F32x16::all(coefficient));
  return zero_below(x, lowest, sum * power_of_low_bits(shifted));
}

}  // namespace TROUPE_ISA
}  // namespace troupe::lanes
