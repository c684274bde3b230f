#pragma once
#include "troupe/api/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::paged {

/// Where a list of blocks begins and ends; its links stand in a BlockLinks.
struct BlockList {
  static constexpr std::uint32_t kEnd = UINT32_MAX;
  std::uint32_t front = kEnd;
  std::uint32_t back = kEnd;

  bool empty() const { return front == kEnd; }
};

/// The links of doubly linked lists of blocks. A block is in at most one list of one BlockLinks, so
/// that nothing is allocated and everything is O(1).
class BlockLinks {
 public:
  void reset(std::size_t num_blocks) { links_.assign(num_blocks, {}); }

  void push_front(BlockList& list, BlockId block) {
    links_[block.value] = {BlockList::kEnd, list.front};
    (list.empty() ? list.back : links_[list.front].previous) = block.value;
    list.front = block.value;
  }

  void push_back(BlockList& list, BlockId block) {
    links_[block.value] = {list.back, BlockList::kEnd};
    (list.empty() ? list.front : links_[list.back].next) = block.value;
    list.back = block.value;
  }

  /// Pre: the block is in `list`.
  void remove(BlockList& list, BlockId block) {
    const auto [previous, next] = links_[block.value];
    (previous == BlockList::kEnd ? list.front : links_[previous].next) = next;
    (next == BlockList::kEnd ? list.back : links_[next].previous) = previous;
  }

  /// The block after `block`; BlockList::kEnd after the last one.
  std::uint32_t next(std::uint32_t block) const { return links_[block].next; }

 private:
  struct Link {
    std::uint32_t previous = BlockList::kEnd;
    std::uint32_t next = BlockList::kEnd;
  };
  std::vector<Link> links_;
};

}  // namespace troupe::paged
