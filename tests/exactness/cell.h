#pragma once
#include <string>
#include <vector>

namespace troupe::exactness {

enum class Cache { off, cold, warm };  // of prefixes
/// What else is in the batch, and which slot of it the request has.
enum class Company { alone, crowd, first, second, last };
enum class Preemption { never, recompute, swap, swap_to_file };

/// One combination of everything that must not change a bit of an answer.
struct Cell {
  Cache cache = Cache::off;
  int chunk = 0;  // tokens of a prompt in one step; 0 = all
  Company company = Company::alone;
  Preemption preemption = Preemption::never;
  int threads = 1;

  std::string name() const;
  /// The values that make a pipeline work like this, as --set takes them.
  std::vector<std::string> settings() const;
  bool swaps() const { return preemption >= Preemption::swap; }
  /// Requests that run beside the one that is looked at.
  int num_others() const;
  /// How many of them come before it.
  int num_before() const;
};

/// Every combination.
std::vector<Cell> all_cells();

/// Combinations in which every pair of values of two different axes stands at least once: far
/// fewer, for models that take their time.
std::vector<Cell> pairwise_cells();

}  // namespace troupe::exactness
