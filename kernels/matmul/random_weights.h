#pragma once
// Seeded weights and activations for the tests and the bench of this folder.
#include "kernels/matmul/half.h"
#include "kernels/matmul/packed_matrix.h"

#include <cstdint>
#include <vector>

namespace troupe::kernels {

/// A small deterministic generator; equal on every platform.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  /// Uniform in [-1, 1).
  float next_float() { return static_cast<float>(next() % 65536) / 32768.0f - 1.0f; }

 private:
  std::uint64_t state_;
};

inline std::vector<float> random_activations(std::uint64_t seed, std::int64_t count) {
  RandomBits random(seed);
  std::vector<float> x(static_cast<std::size_t>(count));
  for (auto& value : x)
    value = random.next_float() * (random.next() % 16 == 0 ? 8.0f : 1.0f);
  return x;
}

/// A scale or minimum that float16 holds exactly.
inline float exact_in_half(float value) {
  return float_from_half(static_cast<std::uint16_t>(half_from_exact(value) & 0xffff));
}

/// A source whose rows are functions of (seed, row) alone.
inline WeightSource random_weights(std::uint64_t seed, std::int64_t n, std::int64_t k,
                                   WeightFormat format) {
  WeightSource source{n, k, format, {}, {}};
  source.read_floats = [=](std::int64_t row, float* weights) {
    RandomBits random(seed * 1000003 + static_cast<std::uint64_t>(row));
    for (std::int64_t c = 0; c < k; ++c)
      weights[c] =
          format == WeightFormat::bf16 ? round_to_bf16(random.next_float()) : random.next_float();
  };
  source.read_groups = [=](std::int64_t row, std::int8_t* codes, float* scales, float* minimums) {
    RandomBits random(seed * 1000003 + static_cast<std::uint64_t>(row));
    const bool four_bits = format <= WeightFormat::int4_min_wide;
    const bool wide = format == WeightFormat::int4_min_wide || format >= WeightFormat::int8_min;
    const auto number = [&](float value) { return wide ? value : exact_in_half(value); };
    for (std::int64_t c = 0; c < k; ++c)
      codes[c] = static_cast<std::int8_t>(four_bits ? random.next() % 16 : random.next() % 256);
    for (std::int64_t g = 0; g < k / group_size(format); ++g) {
      scales[g] = number(random.next_float() * 0.01f);
      if (has_minimum(format)) minimums[g] = number(random.next_float() * 0.1f);
    }
  };
  return source;
}

}  // namespace troupe::kernels
