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

/// token_bits (runtime/core/philox.h) of the kGroup tokens from `first` on: the same numbers, made
/// several counters at a time. Pre: `first` is a multiple of 4.
std::array<std::uint32_t, kGroup> group_bits(DrawKey key, TokenId first);

}  // namespace troupe::gumbel
