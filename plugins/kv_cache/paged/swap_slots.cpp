#include "swap_slots.h"

#include "troupe/api/check.h"

#include <string>

namespace troupe::paged {

void SwapSlots::reset(std::int64_t num_host_slots, std::int64_t num_file_slots) {
  num_host_ = static_cast<std::size_t>(num_host_slots);
  const auto size = num_host_ + static_cast<std::size_t>(num_file_slots);
  used_.assign(size, false);
  free_host_.clear();
  free_file_.clear();
  for (std::size_t slot = size; slot > 0; --slot)
    (slot <= num_host_ ? free_host_ : free_file_).push_back(static_cast<std::uint32_t>(slot - 1));
}

std::uint32_t SwapSlots::take() {
  auto& free = free_host_.empty() ? free_file_ : free_host_;
  TROUPE_CHECK(!free.empty());
  const auto slot = free.back();
  free.pop_back();
  used_[slot] = true;
  return slot;
}

void SwapSlots::release(std::uint32_t slot) {
  TROUPE_CHECK(slot < size() && used_[slot]);
  used_[slot] = false;
  (slot < num_host_ ? free_host_ : free_file_).push_back(slot);
}

Result<void> SwapSlots::check(const std::vector<std::uint32_t>& counted_owners) const {
  std::size_t num_used_slots = 0;
  for (std::size_t slot = 0; slot < size(); ++slot) {
    num_used_slots += used_[slot];
    if (counted_owners[slot] != (used_[slot] ? 1u : 0u))
      return fail(ErrorCode::internal, "swap slot " + std::to_string(slot) + ": " +
                                           (used_[slot] ? "used" : "free") + " in the books, " +
                                           std::to_string(counted_owners[slot]) +
                                           " sequences have it");
  }
  if (num_used_slots == num_used()) return {};
  return fail(ErrorCode::internal, std::to_string(num_used_slots) + " swap slots are used, " +
                                       std::to_string(num_used()) + " are not free");
}

}  // namespace troupe::paged
