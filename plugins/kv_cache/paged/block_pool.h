#pragma once
#include "block_list.h"
#include "troupe/api/result.h"

namespace troupe::paged {

/// The physical blocks of a cache. Each is free, used (it has owners) or cached: without owners,
/// but kept because what is in it may serve again.
class BlockPool {
 public:
  /// All blocks are free; block 0 is handed out first.
  void reset(std::size_t num_blocks);

  std::size_t size() const { return owners_.size(); }
  std::size_t num_free() const { return free_.size(); }
  std::size_t num_cached() const { return num_cached_; }
  std::size_t num_used() const { return size() - num_free() - num_cached(); }

  /// The block freed last, with one owner: it is the likeliest to be in a processor's cache still.
  /// Pre: num_free() > 0.
  BlockId take();

  /// One more owner for a used or cached block.
  void add_owner(BlockId block);

  /// Takes one owner away; without owners the block is cached, as the one used last, or free.
  /// Pre: the block has an owner.
  void release(BlockId block, bool keep = false);

  /// A cached block becomes the one used last.
  void touch(BlockId block);

  /// The cached block whose last use is longest ago. Pre: num_cached() > 0.
  BlockId oldest_cached() const;

  /// A cached block becomes free.
  void discard(BlockId block);

  std::uint32_t owners(BlockId block) const { return owners_[block.value]; }
  bool is_cached(BlockId block) const { return cached_[block.value]; }

  /// Compares the books with the owners counted from outside, one number per block.
  /// Errors: internal, with the first block that does not add up.
  Result<void> check(const std::vector<std::uint32_t>& counted_owners) const;

 private:
  Result<void> check_cached() const;
  void uncache(BlockId block);

  std::vector<std::uint32_t> owners_;  // per block
  std::vector<bool> cached_;           // per block
  std::vector<BlockId> free_;          // a stack
  BlockLinks links_;
  BlockList oldest_first_;  // the cached blocks
  std::size_t num_cached_ = 0;
};

}  // namespace troupe::paged
