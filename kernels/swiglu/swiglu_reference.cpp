#include "kernels/swiglu/swiglu.h"

#include <cmath>

namespace troupe::kernels {

void swiglu_reference(const SwigluRow& row) {
  for (std::int64_t i = 0; i < row.size; ++i) {
    const double gate = row.gate[i];
    row.output[i] = static_cast<float>(gate / (1 + std::exp(-gate)) * row.up[i]);
  }
}

}  // namespace troupe::kernels
