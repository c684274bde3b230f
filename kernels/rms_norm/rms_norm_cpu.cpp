#include "kernels/rms_norm/rms_norm_lanes.h"
#include "kernels/rms_norm/rms_norm_variants.h"

namespace troupe::kernels {

bool rms_norm_portable(const RmsNormRow& row) {
  return rms_norm_lanes(row);
}

RmsNorm rms_norm_for(CpuLevel level) {
#if defined(__x86_64__)
  if (level >= CpuLevel::avx512) return rms_norm_avx512;
  if (level >= CpuLevel::avx2) return rms_norm_avx2;
#endif
  static_cast<void>(level);
  return rms_norm_portable;
}

}  // namespace troupe::kernels
