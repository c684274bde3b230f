#pragma once
#include "kernels/matmul/huge_buffer.h"
#include "troupe/api/result.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace troupe::transformer {

enum class SlotState : std::uint8_t {
  never_written,
  stored,
  failed,  // what was to be stored there could not be
};

/// What is known of each slot of the lower tiers: its state, and a checksum of its content.
class SwapSlots {
 public:
  /// Errors: resource_exhausted. Takes memory as slots are first used.
  static Result<SwapSlots> allocate(std::int64_t count);

  std::int64_t count() const { return count_; }
  /// Pre, here and below: slot < count().
  SlotState state(std::uint32_t slot) const { return entry(slot).state; }

  void mark_failed(std::uint32_t slot) { entry(slot).state = SlotState::failed; }
  /// Remembers that the slot holds `content`.
  void mark_stored(std::uint32_t slot, std::span<const std::byte> content);
  /// Errors: internal when `content` is not what mark_stored was given.
  Result<void> verify(std::uint32_t slot, std::span<const std::byte> content) const;

 private:
  /// All zero: never written.
  struct Entry {
    std::uint64_t checksum[2];
    SlotState state;
  };

  Entry& entry(std::uint32_t slot) { return reinterpret_cast<Entry*>(entries_.data())[slot]; }
  const Entry& entry(std::uint32_t slot) const {
    return reinterpret_cast<const Entry*>(entries_.data())[slot];
  }

  kernels::HugeBuffer entries_;
  std::int64_t count_ = 0;
};

}  // namespace troupe::transformer
