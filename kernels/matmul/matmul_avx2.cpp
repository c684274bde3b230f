#include "kernels/matmul/isa_avx2.h"
#include "kernels/matmul/tile_kernels.h"
#include "kernels/matmul/variants.h"

namespace troupe::kernels {

const MatmulVariant kMatmulAvx2 = make_variant<Avx2>("avx2", CpuLevel::avx2);

}  // namespace troupe::kernels
