#include "kernels/matmul/variant.h"

#include "kernels/matmul/variants.h"

#include <array>

namespace troupe::kernels {
namespace {

constexpr std::array kFastestFirst = {
#if defined(__x86_64__)
    &kMatmulAvx512Vnni, &kMatmulAvx512, &kMatmulAvx2,
#endif
    &kMatmulPortable};

}  // namespace

std::span<const MatmulVariant* const> matmul_variants() {
  std::span<const MatmulVariant* const> runnable = kFastestFirst;
  while (runnable.front()->level > cpu_level())
    runnable = runnable.subspan(1);
  return runnable;
}

const MatmulVariant& matmul_variant() {
  return *matmul_variants().front();
}

}  // namespace troupe::kernels
