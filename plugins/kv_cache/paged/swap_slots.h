#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::paged {

/// Slots of the lower tiers, one block each: those in host memory have the smaller numbers and are
/// handed out first.
class SwapSlots {
 public:
  /// All slots are free. Pre: fewer than 2^32 in all.
  void reset(std::int64_t num_host_slots, std::int64_t num_file_slots);

  std::size_t size() const { return used_.size(); }
  std::int64_t num_host() const { return static_cast<std::int64_t>(num_host_); }
  std::int64_t num_file() const { return static_cast<std::int64_t>(size() - num_host_); }
  std::size_t num_free() const { return free_host_.size() + free_file_.size(); }
  std::size_t num_used() const { return size() - num_free(); }

  /// Pre: num_free() > 0.
  std::uint32_t take();
  /// Pre: the slot is used.
  void release(std::uint32_t slot);

  /// Compares with the owners of each slot, counted from outside. Errors: internal.
  Result<void> check(const std::vector<std::uint32_t>& counted_owners) const;

 private:
  std::size_t num_host_ = 0;
  std::vector<bool> used_;
  std::vector<std::uint32_t> free_host_;  // stacks
  std::vector<std::uint32_t> free_file_;
};

}  // namespace troupe::paged
