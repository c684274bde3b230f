#pragma once
#include <string>
#include <vector>

namespace troupe::exactness {

enum class Cache { off, cold, warm };               // of prefixes
enum class Company { alone, crowd, second, last };  // what else is in the batch, and which slot
enum class Preemption { never, recompute, swap };

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
