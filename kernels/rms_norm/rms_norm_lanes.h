#pragma once
#include "kernels/lanes/f32x16.h"
#include "kernels/rms_norm/rms_norm.h"

// The one source of all rms_norm variants; each of their files includes it.
namespace troupe::kernels {
inline namespace TROUPE_ISA {

inline bool rms_norm_lanes(const RmsNormRow& row) {
  using lanes::F32x16;
  F32x16 squares = F32x16::zero();
  std::int64_t i = 0;
  for (; i + 16 <= row.size; i += 16) {
    const F32x16 x = F32x16::load(row.input + i);
    squares = fma(x, x, squares);
  }
  const int rest = static_cast<int>(row.size - i);
  const F32x16 last = F32x16::load_first(row.input + i, rest);
  squares = fma(last, last, squares);

  const float mean = reduce_sum(squares) / static_cast<float>(row.size);
  const F32x16 scale = F32x16::all(1.0f / __builtin_sqrtf(mean + row.epsilon));
  for (i = 0; i + 16 <= row.size; i += 16)
    (F32x16::load(row.input + i) * scale * F32x16::load(row.weight + i)).store(row.output + i);
  (last * scale * F32x16::load_first(row.weight + i, rest)).store_first(row.output + i, rest);
  return __builtin_isfinite(mean);
}

}  // namespace TROUPE_ISA
}  // namespace troupe::kernels
