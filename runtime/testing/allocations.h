#pragma once
#include <cstdint>

namespace troupe::testing {

// A test program that uses anything of this header has its operator new replaced; what libraries
// and plugins allocate comes by there as well.

/// Allocations of the whole program so far.
std::int64_t num_allocations();

/// While it lives, the n-th allocation of this thread throws std::bad_alloc; those before and after
/// it succeed. One at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(int nth);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// Whether it came to that.
  bool fired() const;
};

}  // namespace troupe::testing
