#include "kernels/rms_norm/rms_norm.h"

#include <cmath>

namespace troupe::kernels {

bool rms_norm_reference(const RmsNormRow& row) {
  double sum = 0;
  for (std::int64_t i = 0; i < row.size; ++i) {
    const double x = row.input[i];
    sum += x * x;
  }
  const double mean = sum / static_cast<double>(row.size);
  const double scale = 1.0 / std::sqrt(mean + static_cast<double>(row.epsilon));
  for (std::int64_t i = 0; i < row.size; ++i)
    row.output[i] = static_cast<float>(row.input[i] * scale * row.weight[i]);
  return std::isfinite(static_cast<float>(mean));
}

}  // namespace troupe::kernels
