#include "kernels/matmul/isa_avx512.h"
#include "kernels/matmul/tile_kernels.h"
#include "kernels/matmul/variants.h"

namespace troupe::kernels {

const MatmulVariant kMatmulAvx512Vnni = make_variant<Avx512>("avx512_vnni", CpuLevel::avx512_vnni);

}  // namespace troupe::kernels
