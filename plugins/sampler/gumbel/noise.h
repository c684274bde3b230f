#pragma once
#include "row_scan.h"

#include <array>
#include <cstdint>

namespace troupe::gumbel {

/// What keys the noise of one draw.
struct DrawKey {
  std::uint64_t seed = 0;
  std::int32_t position = 0;
};

/// token_bits (runtime/core/philox.h) of kGroup neighbouring tokens.
struct GroupBits {
  alignas(64) std::array<std::uint32_t, kGroup> bits;
};

/// Makes the bits of the kGroup tokens from `first` on: the same numbers as token_bits, many
/// counters at a time. Returns which of them are at least `needed`, token first + i in bit i.
/// Pre: `first` is a multiple of 4.
std::uint64_t make_group_bits(DrawKey key, TokenId first, std::uint32_t needed, GroupBits& out);

/// The ways of this processor to do so, the plain one first: for tests.
using MakeGroupBits = std::uint64_t (*)(DrawKey, TokenId, std::uint32_t, GroupBits&);
std::span<const MakeGroupBits> ways_to_make_group_bits();

}  // namespace troupe::gumbel
