// The portable variant. Beside it may stand files with the suffixes _avx2.cpp and _avx512.cpp,
// which set the compiler's flags; the function below then chooses by troupe/device/cpu_features.h.
#include "kernels/@name@/@name@.h"

#include <algorithm>

namespace troupe::kernels {

void @name@(const @Name@Params& params) {
  std::transform(params.x, params.x + params.rows * params.columns, params.out,
                 [](float x) { return std::max(x, 0.0f); });
}

}  // namespace troupe::kernels
