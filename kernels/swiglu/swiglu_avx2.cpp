#include "kernels/swiglu/swiglu_lanes.h"
#include "kernels/swiglu/swiglu_variants.h"

namespace troupe::kernels {

void swiglu_avx2(const SwigluRow& row) {
  swiglu_lanes(row);
}

}  // namespace troupe::kernels
