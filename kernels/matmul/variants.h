#pragma once
// The variants this build has; which of them a processor can run is decided in variant.cpp.
#include "kernels/matmul/variant.h"

namespace troupe::kernels {

extern const MatmulVariant kMatmulPortable;
#if defined(__x86_64__)
extern const MatmulVariant kMatmulAvx2;
extern const MatmulVariant kMatmulAvx512;
extern const MatmulVariant kMatmulAvx512Vnni;
#endif

}  // namespace troupe::kernels
