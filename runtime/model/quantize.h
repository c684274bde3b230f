#pragma once
#include "troupe/model/model_file.h"

#include <cstddef>
#include <cstdint>

namespace troupe::model {

/// Stores a row of `elements` float32 numbers in the format of `type`, each group by its own
/// largest value: plain rounding, no search for better scales. For tests and for models made here.
/// Pre: as dequantize_row, and all values are finite. Cost: linear, allocates nothing.
void quantize_row(WeightType type, const float* row, std::byte* out, std::int64_t elements);

}  // namespace troupe::model
