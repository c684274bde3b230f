#pragma once

namespace troupe::simulation {

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

}  // namespace troupe::simulation
