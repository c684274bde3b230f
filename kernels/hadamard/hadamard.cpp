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

/// Sums and differences of neighbours, the sums in front: log2(length) such steps are the matrix,
/// and all have the same form, which compilers turn into vectors. (Pease, 1968.)
void step(const float* __restrict from, float* __restrict to, std::int32_t length) {
  const std::int32_t half = length / 2;
  for (std::int32_t i = 0; i < half; ++i) {
    to[i] = from[2 * i] + from[2 * i + 1];
    to[half + i] = from[2 * i] - from[2 * i + 1];
  }
}

void turn(float* run, std::int32_t length, float scale) {
  float buffers[2][kMostElements];
  const float* from = run;
  for (std::int32_t left = length, to = 0; left > 1; left /= 2, to = 1 - to) {
    step(from, buffers[to], length);
    from = buffers[to];
  }
  for (std::int32_t i = 0; i < length; ++i)
    run[i] = from[i] * scale;
}

}  // namespace

void hadamard(float* heads, std::int32_t num_heads, std::int32_t head_dim) {
  const auto length = run_length(head_dim);
  const float scale = 1 / std::sqrt(static_cast<float>(length));
  for (std::int64_t at = 0; at < std::int64_t{num_heads} * head_dim; at += length)
    turn(heads + at, length, scale);
}

}  // namespace troupe::kernels
