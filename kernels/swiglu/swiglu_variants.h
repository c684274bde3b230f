#pragma once
#include "kernels/swiglu/swiglu.h"

// For the files of this folder only.
namespace troupe::kernels {

void swiglu_portable(const SwigluRow& row);
void swiglu_avx2(const SwigluRow& row);
void swiglu_avx512(const SwigluRow& row);

}  // namespace troupe::kernels
