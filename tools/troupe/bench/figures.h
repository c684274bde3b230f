#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace troupe::program {

using Clock = std::chrono::steady_clock;

inline double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// The smallest of `values` that a share `q` of them does not exceed (nearest rank: of few values
/// the 0.99 is the largest); 0 when there are none.
inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const double rank = std::ceil(q * static_cast<double>(values.size()));
  const auto at = std::min(values.size(), static_cast<std::size_t>(std::max(1.0, rank))) - 1;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(at));
  return values[at];
}

}  // namespace troupe::program
