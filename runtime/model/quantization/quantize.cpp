#include "troupe/model/quantize.h"

#include "troupe/api/check.h"
#include "troupe/model/quantization/quantize_families.h"
#include "troupe/model/weight_type.h"

namespace troupe::model {

void quantize_row(WeightType type, const float* row, std::byte* out, std::int64_t elements) {
  TROUPE_CHECK(elements >= 0 && elements % weight_block(type).elements == 0);
  switch (type) {
    case WeightType::f32:
    case WeightType::f16:
    case WeightType::bf16:
      return quantization::quantize_floats(type, row, out, elements);
    case WeightType::q8_0:
    case WeightType::q4_0:
    case WeightType::q4_1:
    case WeightType::q5_0:
    case WeightType::q5_1:
      return quantization::quantize_groups(type, row, out, elements);
    case WeightType::q4_k:
    case WeightType::q5_k:
    case WeightType::q6_k:
      return quantization::quantize_super_blocks(type, row, out, elements);
  }
}

}  // namespace troupe::model
