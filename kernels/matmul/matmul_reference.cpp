#include "kernels/matmul/half.h"
#include "kernels/matmul/matmul.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace troupe::kernels {
namespace {

constexpr double kTiny = 0x1p-100;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One group of activations, at most 32 of a row, rounded to int8 codes around the middle of their
/// range.
void round_int8(std::vector<double>& x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const auto middle = 0.5f * static_cast<float>(*low) + 0.5f * static_cast<float>(*high);
  const double reach = std::max(*high - middle, middle - *low);
  for (auto& value : x) {
    const double code = reach < kTiny ? 0 : std::nearbyint((value - middle) * 127 / reach);
    value = middle + code * reach / 127;
  }
}

/// As above, to 16-bit codes, which is what two terms of 8 bits hold.
void round_int8x2(std::vector<double>& x) {
  double largest = 0;
  for (const double value : x)
    largest = std::max(largest, std::abs(value));
  for (auto& value : x)
    value = largest < kTiny ? 0 : std::nearbyint(value * 32639 / largest) * largest / 32639;
}

double two_bf16_terms(float x) {
  const float first = round_to_bf16(x);
  return static_cast<double>(first) + static_cast<double>(round_to_bf16(x - first));
}

std::vector<double> rounded_group(const float* x, std::int64_t count, Precision precision) {
  std::vector<double> group(x, x + count);
  if (precision == Precision::bf16) std::transform(x, x + count, group.begin(), round_to_bf16);
  if (precision == Precision::bf16x2) std::transform(x, x + count, group.begin(), two_bf16_terms);
  if (!is_integer(precision)) return group;
  if (!std::all_of(x, x + count, [](float v) { return std::isfinite(v); }))
    return std::vector<double>(group.size(), kNaN);
  precision == Precision::int8 ? round_int8(group) : round_int8x2(group);
  return group;
}

std::vector<double> rounded_row(const float* x, std::int64_t k, Precision precision) {
  std::vector<double> row;
  for (std::int64_t c = 0; c < k; c += 32) {
    const auto group = rounded_group(x + c, std::min<std::int64_t>(32, k - c), precision);
    row.insert(row.end(), group.begin(), group.end());
  }
  return row;
}

}  // namespace

void matmul_reference(const float* x, std::int64_t x_stride, std::int64_t rows, Precision precision,
                      const PackedMatrix& weights, float* y, std::int64_t y_stride) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::vector<double> row = rounded_row(x + r * x_stride, weights.k(), precision);
    for (std::int64_t j = 0; j < weights.n(); ++j) {
      double sum = 0;
      for (std::int64_t c = 0; c < weights.k(); ++c)
        sum += row[static_cast<std::size_t>(c)] * static_cast<double>(weights.weight(j, c));
      y[r * y_stride + j] = static_cast<float>(sum);
    }
  }
}

}  // namespace troupe::kernels
