#include "kernels/rms_norm/rms_norm_lanes.h"
#include "kernels/rms_norm/rms_norm_variants.h"

namespace troupe::kernels {

bool rms_norm_avx2(const RmsNormRow& row) {
  return rms_norm_lanes(row);
}

}  // namespace troupe::kernels
