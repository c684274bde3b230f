#include "kernels/@name@/@name@.h"

namespace troupe::kernels {

void @name@_reference(const @Name@Params& params) {
  for (std::int64_t i = 0; i < params.rows * params.columns; ++i) {
    const double x = params.x[i];
    params.out[i] = static_cast<float>(x > 0 ? x : 0);
  }
}

}  // namespace troupe::kernels
