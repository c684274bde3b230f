#pragma once
#include "prefix_index.h"

#include <vector>

namespace troupe::paged {

/// How far a sequence's tokens are in the prefix index.
struct IndexedPath {
  PrefixNode node;  // of the last full block, or the root
  std::int32_t num_blocks = 0;
  PrefixNode tail;  // of the block after it, in part; its id is 0 if there is none
  /// Some block on the path belongs to another sequence, which computed the same.
  bool follows_others = false;
};

/// A sequence that holds blocks.
struct Sequence {
  std::vector<BlockId> table;   // kNoBlock before first_held
  std::int32_t first_held = 0;  // index in `table`
  /// Leading blocks that are full and computed. Others may hold them too: nobody writes there
  /// again.
  std::int32_t num_fixed = 0;
  std::int32_t num_taken = 0;  // leading blocks that others computed
  std::int32_t num_asked = 0;  // positions granted
  /// False when what it began with was perhaps never copied or swapped in.
  bool is_trusted = true;
  std::vector<TokenId> tokens;  // published
  IndexedPath path;
};

/// A sequence whose blocks moved to a lower tier.
struct Swapped {
  std::vector<TokenId> tokens;       // whose keys and values these are, from position 0
  std::int32_t first_block = 0;      // a sliding window had left those before it
  std::vector<std::uint32_t> slots;  // of the blocks from first_block on
  IndexedPath path;
};

/// What is computed already of a sequence that comes, or comes back, and where it lies.
struct Takeover {
  enum class Source : std::uint8_t { none, prefix, fork, swap };

  Source source = Source::none;
  std::int32_t num_tokens = 0;  // computed positions
  std::int32_t num_absent = 0;  // leading blocks that a sliding window had left
  std::vector<BlockId> shared;  // leading full blocks; those absent are kNoBlock
  BlockId copied = kNoBlock;    // the block after `shared` is to be a copy of this one
  PrefixNode node;              // of the first num_indexed of `shared`
  std::int32_t num_indexed = 0;

  void clear() {
    source = Source::none;
    num_tokens = num_absent = num_indexed = 0;
    shared.clear();
    copied = kNoBlock;
    node = {};
  }
};

}  // namespace troupe::paged
