#pragma once
#include "troupe/device/cpu_features.h"

#include <cstdint>

namespace troupe::kernels {

/// One row to be normalised, all float32 and contiguous.
struct RmsNormRow {
  const float* input;   // [size]
  const float* weight;  // [size]
  float* output;        // [size]; may be the input
  std::int64_t size;
  float epsilon;
};

/// output = input / sqrt(mean(input^2) + epsilon) * weight. Returns whether the mean square is
/// finite; if it is not, the input holds a NaN, an infinity, or numbers whose squares float32
/// cannot hold, and the output is of no use. Bits: the same on every instruction set; squares are
/// added in 16 lanes, then the lanes in a tree. Source: Zhang and Sennrich, "Root Mean Square Layer
/// Normalization", 2019.
using RmsNorm = bool (*)(const RmsNormRow& row);

/// The variant for a level. Pre: level <= cpu_level().
RmsNorm rms_norm_for(CpuLevel level);

/// The specification: scalar, sums in double.
bool rms_norm_reference(const RmsNormRow& row);

}  // namespace troupe::kernels
