#pragma once
#include "troupe/api/blocks.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::testing {

/// The memory of a device and its lower tiers, as tokens; -1 = never written.
class CacheMemory {
 public:
  CacheMemory(std::int64_t num_blocks, std::int64_t num_slots)
      : blocks_(static_cast<std::size_t>(num_blocks), std::vector<TokenId>(kBlockSize, -1)),
        slots_(static_cast<std::size_t>(num_slots), std::vector<TokenId>(kBlockSize, -1)) {}

  /// The first `num_operations` of a grant; the others are not done.
  void move(const BlockGrant& grant, std::size_t num_operations = SIZE_MAX) {
    std::size_t done = 0;
    for (const auto& swap : grant.swap_outs)
      if (done++ < num_operations) slots_.at(swap.slot) = blocks_.at(swap.block.value);
    for (const auto& [from, to] : grant.copies)
      if (done++ < num_operations) blocks_.at(to.value) = blocks_.at(from.value);
    for (const auto& swap : grant.swap_ins)
      if (done++ < num_operations) blocks_.at(swap.block.value) = slots_.at(swap.slot);
  }

  std::vector<TokenId>& block(BlockId id) { return blocks_.at(id.value); }
  const std::vector<TokenId>& block(BlockId id) const { return blocks_.at(id.value); }

 private:
  std::vector<std::vector<TokenId>> blocks_;
  std::vector<std::vector<TokenId>> slots_;
};

}  // namespace troupe::testing
