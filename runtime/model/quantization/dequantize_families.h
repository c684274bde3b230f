#pragma once
#include "troupe/model/model_file.h"

#include <cstddef>
#include <cstdint>

// The parts of dequantize_row, one per family of formats. Each takes the types of its family only.
namespace troupe::model::quantization {

/// f32, f16, bf16.
void dequantize_floats(WeightType type, const std::byte* row, float* out, std::int64_t elements);
/// q8_0, q4_0, q4_1, q5_0, q5_1: groups of 32 with a scale, some with a minimum.
void dequantize_groups(WeightType type, const std::byte* row, float* out, std::int64_t elements);
/// q4_k, q5_k, q6_k: super-blocks of 256 whose sub-blocks have quantized scales.
void dequantize_super_blocks(WeightType type, const std::byte* row, float* out,
                             std::int64_t elements);

}  // namespace troupe::model::quantization
