#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace troupe::kernels {

/// Which elements of a head turn together.
enum class RopeLayout : std::uint8_t {
  adjacent,  // (2i, 2i + 1)
  halves,    // (i, i + dims / 2)
};

/// The angle by which pair i turns per position: theta^(-2i / dims) / linear_factor / divisors[i].
/// Returns [dims / 2]. Pre: dims is even and positive; `divisors` is empty or has dims / 2 positive
/// entries.
std::vector<double> rope_frequencies(std::int64_t dims, double theta, double linear_factor,
                                     std::span<const float> divisors);

/// Writes the cosines and sines of one position, [frequencies.size()] each, computed in double.
void rope_angles(std::int32_t position, std::span<const double> frequencies, float* cosines,
                 float* sines);

/// The heads of one row that turn by the same angles.
struct RopeHeads {
  float* heads;          // [num_heads, head_dim] float32, contiguous
  const float* cosines;  // [dims / 2]
  const float* sines;    // [dims / 2]
  std::int32_t num_heads;
  std::int32_t head_dim;
  std::int32_t dims;  // leading elements of each head that turn; even, <= head_dim
  RopeLayout layout;
};

/// Turns the pair (a, b) to (a cos - b sin, a sin + b cos), in place. Each product and sum is
/// rounded to float32, so all builds give the same bits. Source: Su et al., "RoFormer", 2021,
/// section 3.4.2.
void rope(const RopeHeads& heads);

/// The specification: in double.
void rope_reference(const RopeHeads& heads);

}  // namespace troupe::kernels
