#pragma once
#include "troupe/model/model_file.h"

#include <cstddef>
#include <cstdint>

namespace troupe::model {

/// Turns a row of `elements` numbers, as the file stores them, into float32.
/// Every value is exactly the one the format defines, computed in float32 in the format's order of
/// operations (scale * number, then the minimum). `row` need not be aligned.
/// Pre: `elements` is a multiple of the type's block (weight_block), `row` has row_bytes(type,
/// elements) bytes, `out` room for `elements`. Threading: any thread. Cost: linear, allocates
/// nothing.
void dequantize_row(WeightType type, const std::byte* row, float* out, std::int64_t elements);

}  // namespace troupe::model
