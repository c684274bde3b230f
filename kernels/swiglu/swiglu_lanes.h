#pragma once
#include "kernels/lanes/exp.h"
#include "kernels/swiglu/swiglu.h"

// The one source of all swiglu variants; each of their files includes it.
namespace troupe::kernels {
inline namespace TROUPE_ISA {

inline lanes::F32x16 swiglu_of(lanes::F32x16 gate, lanes::F32x16 up) {
  using lanes::F32x16;
  const F32x16 silu = gate / (F32x16::all(1.0f) + exp(F32x16::zero() - gate));
  return silu * up;
}

inline void swiglu_lanes(const SwigluRow& row) {
  using lanes::F32x16;
  std::int64_t i = 0;
  for (; i + 16 <= row.size; i += 16)
    swiglu_of(F32x16::load(row.gate + i), F32x16::load(row.up + i)).store(row.output + i);
  const int rest = static_cast<int>(row.size - i);
  const F32x16 gate = F32x16::load_first(row.gate + i, rest);
  swiglu_of(gate, F32x16::load_first(row.up + i, rest)).store_first(row.output + i, rest);
}

}  // namespace TROUPE_ISA
}  // namespace troupe::kernels
