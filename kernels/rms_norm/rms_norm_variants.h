#pragma once
#include "kernels/rms_norm/rms_norm.h"

// For the files of this folder only.
namespace troupe::kernels {

bool rms_norm_portable(const RmsNormRow& row);
bool rms_norm_avx2(const RmsNormRow& row);
bool rms_norm_avx512(const RmsNormRow& row);

}  // namespace troupe::kernels
