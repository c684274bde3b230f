#include "kernels/matmul/isa_avx512.h"
#include "kernels/matmul/tile_kernels.h"
#include "kernels/matmul/variants.h"

namespace troupe::kernels {

const MatmulVariant kMatmulAvx512 = make_variant<Avx512>("avx512", CpuLevel::avx512);

}  // namespace troupe::kernels
