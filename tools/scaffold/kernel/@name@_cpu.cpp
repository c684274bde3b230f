// The portable variant. Beside it may stand @name@_avx2.cpp and @name@_avx512.cpp: the suffix sets the compiler's
// flags, and @name@() chooses by troupe/device/cpu_features.h.
#include <algorithm>

#include "kernels/@name@/@name@.h"

namespace troupe::kernels {

void @name@(const @Name@Params& params) {
  std::transform(params.x, params.x + params.rows * params.columns, params.out,
                 [](float x) { return std::max(x, 0.0f); });
}

}  // namespace troupe::kernels
