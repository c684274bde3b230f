#pragma once
#include "troupe/api/ids.h"

#include <cstdint>

namespace troupe {

/// Blocks that hold `num_tokens` tokens; a length that is an exact multiple of the block size fills
/// its last block. Pre: num_tokens >= 0.
constexpr std::int64_t blocks_for(std::int64_t num_tokens) {
  return num_tokens / kBlockSize + (num_tokens % kBlockSize != 0 ? 1 : 0);
}

/// Tokens that `num_blocks` blocks have room for. Pre: 0 <= num_blocks <= 2^59.
constexpr std::int64_t tokens_in(std::int64_t num_blocks) {
  return num_blocks * kBlockSize;
}

/// Index in a sequence's block table of the block that holds `position`. Pre: position >= 0.
constexpr std::int64_t block_index(std::int64_t position) {
  return position / kBlockSize;
}

/// Place of `position` within its block. Pre: position >= 0.
constexpr std::int32_t block_offset(std::int64_t position) {
  return static_cast<std::int32_t>(position % kBlockSize);
}

/// Tokens in the last block of a sequence of `num_tokens` tokens: 1 .. kBlockSize, and 0 only of no
/// tokens at all. Pre: num_tokens >= 0.
constexpr std::int32_t last_block_tokens(std::int64_t num_tokens) {
  return num_tokens == 0 ? 0 : block_offset(num_tokens - 1) + 1;
}

}  // namespace troupe
