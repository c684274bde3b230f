#include "kernels/rope/rope.h"

#include <cmath>

namespace troupe::kernels {

std::vector<double> rope_frequencies(std::int64_t dims, double theta, double linear_factor,
                                     std::span<const float> divisors) {
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < dims / 2; ++i) {
    const double power = std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(dims));
    const double divisor = divisors.empty() ? 1.0 : divisors[static_cast<std::size_t>(i)];
    frequencies.push_back(power / linear_factor / divisor);
  }
  return frequencies;
}

void rope_angles(std::int32_t position, std::span<const double> frequencies, float* cosines,
                 float* sines) {
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double angle = position * frequencies[i];
    cosines[i] = static_cast<float>(std::cos(angle));
    sines[i] = static_cast<float>(std::sin(angle));
  }
}

namespace {

void turn_adjacent(float* values, const float* cosines, const float* sines, int half) {
  for (int i = 0; i < half; ++i) {
    const float a = values[2 * i], b = values[2 * i + 1];
    values[2 * i] = a * cosines[i] - b * sines[i];
    values[2 * i + 1] = a * sines[i] + b * cosines[i];
  }
}

void turn_halves(float* values, const float* cosines, const float* sines, int half) {
  for (int i = 0; i < half; ++i) {
    const float a = values[i], b = values[i + half];
    values[i] = a * cosines[i] - b * sines[i];
    values[i + half] = a * sines[i] + b * cosines[i];
  }
}

}  // namespace

void rope(const RopeHeads& heads) {
  const auto turn = heads.layout == RopeLayout::adjacent ? turn_adjacent : turn_halves;
  for (int head = 0; head < heads.num_heads; ++head)
    turn(heads.heads + static_cast<std::int64_t>(head) * heads.head_dim, heads.cosines, heads.sines,
         heads.dims / 2);
}

}  // namespace troupe::kernels
