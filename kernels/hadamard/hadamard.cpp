#include "kernels/hadamard/hadamard.h"

#include <cmath>

namespace troupe::kernels {
namespace {

constexpr std::int32_t kMostElements = 256;

/// The largest power of two that divides `size`, up to kMostElements.
std::int32_t run_length(std::int32_t size) {
  std::int32_t length = 1;
  while (length < kMostElements && size % (2 * length) == 0)
    length *= 2;
  return length;
}

/// Sums and differences of elements at distance 1, 2, 4, ...: n log n steps in place of n^2.
void turn(float* run, std::int32_t length, float scale) {
  for (std::int32_t distance = 1; distance < length; distance *= 2)
    for (std::int32_t pair = 0; pair < length; pair += 2 * distance)
      for (std::int32_t i = pair; i < pair + distance; ++i) {
        const float a = run[i], b = run[i + distance];
        run[i] = a + b;
        run[i + distance] = a - b;
      }
  for (std::int32_t i = 0; i < length; ++i)
    run[i] *= scale;
}

}  // namespace

void hadamard(float* heads, std::int32_t num_heads, std::int32_t head_dim) {
  const auto length = run_length(head_dim);
  const float scale = 1 / std::sqrt(static_cast<float>(length));
  for (std::int64_t at = 0; at < std::int64_t{num_heads} * head_dim; at += length)
    turn(heads + at, length, scale);
}

}  // namespace troupe::kernels
