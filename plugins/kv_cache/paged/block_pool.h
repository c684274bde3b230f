#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::paged {

/// The physical blocks of a cache: which are free, and how many owners each other one has.
class BlockPool {
 public:
  /// All blocks are free; block 0 is handed out first.
  void reset(std::size_t num_blocks);

  std::size_t size() const { return owners_.size(); }
  std::size_t num_free() const { return free_.size(); }

  /// The block freed last, with one owner: it is the likeliest to be in a processor's cache still.
  /// Pre: num_free() > 0.
  BlockId take();

  /// Takes one owner away; without owners the block is free. Pre: the block has an owner.
  void release(BlockId block);

  std::uint32_t owners(BlockId block) const { return owners_[block.value]; }

  /// Compares the books with the owners counted from outside, one number per block.
  /// Errors: internal, with the first block that does not add up.
  Result<void> check(const std::vector<std::uint32_t>& counted_owners) const;

 private:
  std::vector<std::uint32_t> owners_;  // per block
  std::vector<BlockId> free_;          // a stack
};

}  // namespace troupe::paged
