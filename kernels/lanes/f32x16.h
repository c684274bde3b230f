#pragma once
#include "kernels/lanes/half.h"
#include "kernels/lanes/isa.h"

#include <cstddef>
#include <cstdint>

// F32x16: sixteen floats, one zmm, two ymm or a plain array. Every operation is exact IEEE
// arithmetic per lane, and the lanes are added up in one fixed order, so a kernel written with it
// gives the same bits on every instruction set.
#if defined(TROUPE_ISA_AVX512)
#include "kernels/lanes/f32x16_avx512.h"
#elif defined(TROUPE_ISA_AVX2)
#include "kernels/lanes/f32x16_avx2.h"
#else
#include "kernels/lanes/f32x16_portable.h"
#endif

namespace troupe::lanes {
inline namespace TROUPE_ISA {

/// The sum of the lanes: halves are added until one is left.
inline float reduce_sum(F32x16 x) {
  alignas(64) float lane[16];
  x.store(lane);
  for (int width = 8; width >= 1; width /= 2)
    for (int i = 0; i < width; ++i)
      lane[i] += lane[i + width];
  return lane[0];
}

/// The largest lane. NaN lanes may or may not be seen.
inline float reduce_max(F32x16 x) {
  alignas(64) float lane[16];
  x.store(lane);
  for (int width = 8; width >= 1; width /= 2)
    for (int i = 0; i < width; ++i)
      lane[i] = lane[i] > lane[i + width] ? lane[i] : lane[i + width];
  return lane[0];
}

}  // namespace TROUPE_ISA
}  // namespace troupe::lanes
