#include "troupe/model/float_bits.h"
#include "troupe/model/quantization/dequantize_families.h"

#include <cstring>

namespace troupe::model::quantization {
namespace {

template <class Convert>
void convert_16_bits(const std::byte* row, float* out, std::int64_t elements, Convert convert) {
  for (std::int64_t i = 0; i < elements; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, row + 2 * i, sizeof(bits));
    out[i] = convert(bits);
  }
}

}  // namespace

void dequantize_floats(WeightType type, const std::byte* row, float* out, std::int64_t elements) {
  if (elements == 0) return;
  if (type == WeightType::f32)
    std::memcpy(out, row, static_cast<std::size_t>(elements) * sizeof(float));
  else if (type == WeightType::f16)
    convert_16_bits(row, out, elements, half_to_float);
  else
    convert_16_bits(row, out, elements, bfloat16_to_float);
}

}  // namespace troupe::model::quantization
