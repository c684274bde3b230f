#include "kernels/hadamard/hadamard.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace troupe::kernels {

void hadamard_reference(float* heads, std::int32_t num_heads, std::int32_t head_dim) {
  const auto length = std::gcd(head_dim, 256);
  for (std::int64_t at = 0; at < std::int64_t{num_heads} * head_dim; at += length) {
    float* const run = heads + at;
    const std::vector<float> before(run, run + length);
    for (std::uint32_t row = 0; row < static_cast<std::uint32_t>(length); ++row) {
      double sum = 0;
      for (std::uint32_t column = 0; column < before.size(); ++column)
        sum += std::popcount(row & column) % 2 == 0 ? before[column] : -before[column];
      run[row] = static_cast<float>(sum / std::sqrt(static_cast<double>(length)));
    }
  }
}

}  // namespace troupe::kernels
