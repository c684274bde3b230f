#pragma once
#include "troupe/device/cpu_features.h"

#include <cstdint>

namespace troupe::kernels {

/// One row, all float32 and contiguous.
struct SwigluRow {
  const float* gate;  // [size]
  const float* up;    // [size]
  float* output;      // [size]; may be gate or up
  std::int64_t size;
};

/// output = gate / (1 + exp(-gate)) * up. NaN and infinities in the input leave no finite output
/// behind. Bits: the same on every instruction set; the exponential is a polynomial of our own.
/// Source: Shazeer, "GLU Variants Improve Transformer", 2020.
using Swiglu = void (*)(const SwigluRow& row);

/// The variant for a level. Pre: level <= cpu_level().
Swiglu swiglu_for(CpuLevel level);

/// The specification: scalar, in double.
void swiglu_reference(const SwigluRow& row);

}  // namespace troupe::kernels
