#pragma once
#include <cstdint>
#include <random>

namespace troupe::simulation {

/// Random numbers that are a function of the seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  /// A number from `low` to `high`, both included.
  int from(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return from(1, n) == 1; }
  bool in_thousand(int n) { return from(0, 999) < n; }

 private:
  std::mt19937_64 random_;
};

}  // namespace troupe::simulation
