#include "kernels/rope/rope.h"

namespace troupe::kernels {

void rope_reference(const RopeHeads& heads) {
  const int half = heads.dims / 2;
  for (int head = 0; head < heads.num_heads; ++head) {
    float* values = heads.heads + static_cast<std::int64_t>(head) * heads.head_dim;
    for (int i = 0; i < half; ++i) {
      float& a = values[heads.layout == RopeLayout::adjacent ? 2 * i : i];
      float& b = values[heads.layout == RopeLayout::adjacent ? 2 * i + 1 : i + half];
      const double x = a, y = b, cosine = heads.cosines[i], sine = heads.sines[i];
      a = static_cast<float>(x * cosine - y * sine);
      b = static_cast<float>(x * sine + y * cosine);
    }
  }
}

}  // namespace troupe::kernels
