#include "plugins/executor/transformer/swap_slots.h"

#include <string>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace troupe::transformer {
namespace {

/// The slot is part of it: content that turns up in another slot's place is not taken.
XXH128_hash_t checksum_of(std::uint32_t slot, std::span<const std::byte> content) {
  return XXH3_128bits_withSeed(content.data(), content.size(), slot);
}

}  // namespace

Result<SwapSlots> SwapSlots::allocate(std::int64_t count) {
  SwapSlots slots;
  auto entries = kernels::HugeBuffer::allocate(static_cast<std::size_t>(count) * sizeof(Entry));
  if (!entries) return fail_at("swap slots", entries.error());
  slots.entries_ = std::move(*entries);
  slots.count_ = count;
  return slots;
}

void SwapSlots::mark_stored(std::uint32_t slot, std::span<const std::byte> content) {
  const auto checksum = checksum_of(slot, content);
  entry(slot) = {{checksum.low64, checksum.high64}, SlotState::stored};
}

Result<void> SwapSlots::verify(std::uint32_t slot, std::span<const std::byte> content) const {
  const auto& known = entry(slot);
  const auto checksum = checksum_of(slot, content);
  if (checksum.low64 == known.checksum[0] && checksum.high64 == known.checksum[1]) return {};
  return fail(ErrorCode::internal,
              "the content has another checksum than when it was stored: it was damaged");
}

}  // namespace troupe::transformer
