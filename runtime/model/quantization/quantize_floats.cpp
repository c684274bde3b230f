#include "troupe/model/float_bits.h"
#include "troupe/model/quantization/quantize_families.h"

#include <cstring>

namespace troupe::model::quantization {

void quantize_floats(WeightType type, const float* row, std::byte* out, std::int64_t elements) {
  if (elements == 0) return;
  if (type == WeightType::f32) {
    std::memcpy(out, row, static_cast<std::size_t>(elements) * sizeof(float));
    return;
  }
  for (std::int64_t i = 0; i < elements; ++i) {
    const auto bits = type == WeightType::f16 ? float_to_half(row[i]) : float_to_bfloat16(row[i]);
    std::memcpy(out + 2 * i, &bits, sizeof(bits));
  }
}

}  // namespace troupe::model::quantization
