#pragma once
#include <cstdint>

namespace troupe::kernels {

/// Turns each head by an orthogonal matrix of entries +-1/sqrt(n): Hadamard's, on runs of n = the
/// largest power of two that divides head_dim, up to 256. What one element held alone is spread
/// over its run, so that a head has no element far larger than the others; dot products of heads
/// turned alike are what they were, and turning twice gives the head back, each up to float32's
/// rounding. `heads`: float32 [num_heads, head_dim], changed in place. Bits: the order of
/// operations is fixed, so that they depend on the head alone. Source: Ashkboos et al., "QuaRot",
/// 2024.
void hadamard(float* heads, std::int32_t num_heads, std::int32_t head_dim);

/// The specification: the matrix written out, sums in double.
void hadamard_reference(float* heads, std::int32_t num_heads, std::int32_t head_dim);

}  // namespace troupe::kernels
