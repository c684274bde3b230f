#include "troupe/scheduling/step_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace troupe::scheduling {
namespace {

/// What is left of a step's weight after the next one of its sort: the last 50 make up most of it.
constexpr double kFade = 0.98;
/// A step that takes so much longer than expected was disturbed and counts as this much.
constexpr double kMostSurprise = 4;
/// Keeps the equations solvable when all steps were alike; too little to bend what they say.
constexpr double kRidge = 1e-6;

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

/// Solves a symmetric positive system for the features in use; the others get 0.
Vector solve_for(Matrix a, Vector b, const std::array<bool, 3>& used) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (used[i]) continue;
    for (std::size_t j = 0; j < 3; ++j)
      a[i][j] = a[j][i] = 0;
    a[i][i] = 1;
    b[i] = 0;
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t row = i + 1; row < 3; ++row) {
      const double factor = a[row][i] / a[i][i];
      for (std::size_t j = i; j < 3; ++j)
        a[row][j] -= factor * a[i][j];
      b[row] -= factor * b[i];
    }
  Vector x{};
  for (std::size_t i = 3; i-- > 0;) {
    double rest = b[i];
    for (std::size_t j = i + 1; j < 3; ++j)
      rest -= a[i][j] * x[j];
    x[i] = rest / a[i][i];
  }
  return x;
}

}  // namespace

void StepCost::Sums::add(const Vector& features, double us) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      products[i][j] = products[i][j] * kFade + features[i] * features[j];
    times[i] = times[i] * kFade + features[i] * us;
  }
}

void StepCost::learn(const Step& step) {
  if (!std::isfinite(step.total_us) || !std::isfinite(step.swap_us)) return;
  if (step.swapped_blocks > 0 && step.swap_us > 0) {
    swapped_blocks_ = swapped_blocks_ * kFade + static_cast<double>(step.swapped_blocks);
    swap_us_ = swap_us_ * kFade + step.swap_us;
  }
  double us = step.total_us - step.swap_us;
  if (us <= 0 || step.decode_tokens + step.prefill_tokens == 0) return;
  const Vector features = {1, static_cast<double>(step.decode_tokens),
                           static_cast<double>(step.prefill_tokens)};
  Sums& sums = step.prefill_tokens > 0 ? with_prefill_ : decode_only_;
  const double expected = cost_[0] + cost_[1] * features[1] + cost_[2] * features[2];
  if (sums.weight() > 10) us = std::min(us, kMostSurprise * expected);
  decoded_ = decoded_ || step.decode_tokens > 0;
  sums.add(features, us);
  solve();
}

void StepCost::solve() {
  Matrix a{};
  Vector b{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      a[i][j] = decode_only_.products[i][j] + with_prefill_.products[i][j];
    b[i] = decode_only_.times[i] + with_prefill_.times[i];
    a[i][i] += kRidge * (1 + a[i][i]);
  }
  // Nothing costs less than nothing: what would is left out, and the rest solved again.
  std::array<bool, 3> used = {true, true, true};
  for (int left = 3; left > 0; --left) {
    cost_ = solve_for(a, b, used);
    const auto least = std::min_element(cost_.begin(), cost_.end());
    if (*least >= 0) return;
    used[static_cast<std::size_t>(least - cost_.begin())] = false;
  }
  cost_ = {};
}

std::optional<double> StepCost::decode_us(std::int64_t decode_tokens) const {
  if (!decoded_) return std::nullopt;
  return cost_[0] + cost_[1] * static_cast<double>(decode_tokens);
}

std::optional<double> StepCost::prefill_us_per_token() const {
  if (with_prefill_.weight() <= 0) return std::nullopt;
  return cost_[2];
}

std::optional<double> StepCost::swap_us_per_block() const {
  if (swapped_blocks_ <= 0) return std::nullopt;
  return swap_us_ / swapped_blocks_;
}

}  // namespace troupe::scheduling
