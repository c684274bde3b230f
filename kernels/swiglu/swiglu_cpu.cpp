#include "kernels/swiglu/swiglu_lanes.h"
#include "kernels/swiglu/swiglu_variants.h"

namespace troupe::kernels {

void swiglu_portable(const SwigluRow& row) {
  swiglu_lanes(row);
}

Swiglu swiglu_for(CpuLevel level) {
#if defined(__x86_64__)
  if (level >= CpuLevel::avx512) return swiglu_avx512;
  if (level >= CpuLevel::avx2) return swiglu_avx2;
#endif
  static_cast<void>(level);
  return swiglu_portable;
}

}  // namespace troupe::kernels
