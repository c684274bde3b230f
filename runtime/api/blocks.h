#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/operator.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// What the scheduler asks of the key-value cache for one step. First the releases, then the wants
/// in their order, which is the order of priority.
struct BlockRequest {
  struct Want {
    SequenceId sequence;
    std::int32_t num_tokens = 0;  // positions 0 .. num_tokens - 1 must have a slot
    /// First mention of a sequence: its prompt, for the prefix match. The ids live until the grant
    /// is made.
    std::span<const TokenId> prompt_ids = {};
    std::string_view cache_salt = {};
    std::string_view adapter = {};
  };
  /// Tokens of a sequence whose keys and values are now computed: full blocks may be shared from
  /// here on.
  struct Publish {
    SequenceId sequence;
    std::span<const TokenId> token_ids;  // from position 0
  };
  StepId step;
  std::vector<SequenceId> releases;  // these sequences give back every block they hold
  std::vector<Publish> publishes;
  std::vector<Want> wants;

  void clear() {
    releases.clear();
    publishes.clear();
    wants.clear();
  }
};

/// A copy of one block to another, to be done before the step.
struct BlockCopy {
  BlockId from;
  BlockId to;
};

/// A block that moves between the device and a slot of a lower tier.
struct BlockSwap {
  BlockId block;
  std::uint32_t slot = 0;
};

/// The cache's answer, one grant per want and in the same order.
struct BlockGrant {
  struct Grant {
    SequenceId sequence;
    /// 0 = granted. Else the sequence got nothing new and this many blocks were missing.
    std::int32_t short_of_blocks = 0;
    std::int32_t num_cached_tokens = 0;  // positions already computed (first mention only)
    std::int32_t first_new_block = 0;    // index in the sequence's table where `new_blocks` go
    std::vector<BlockId> new_blocks;
  };
  StepId step;
  std::vector<Grant> grants;
  std::vector<BlockCopy> copies;
  std::vector<BlockSwap> swap_outs;
  std::vector<BlockSwap> swap_ins;

  void clear() {
    grants.clear();
    copies.clear();
    swap_outs.clear();
    swap_ins.clear();
  }
};

struct CacheStats {
  std::int64_t blocks_total = 0;
  std::int64_t blocks_free = 0;
  std::int64_t blocks_used = 0;    // in at least one live table
  std::int64_t blocks_cached = 0;  // in no table, kept for a later prefix match
  std::int64_t hits = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t evictions = 0;
};

/// Manages the blocks of a key-value cache: it decides, and moves no data. free + used + cached ==
/// total.
class KvCache : public Operator {
 public:
  /// Answers one step's request. `out` is cleared first.
  virtual void reserve(const BlockRequest& request, BlockGrant& out) = 0;
  virtual CacheStats stats() const = 0;
  /// Walks all tables and compares the books. Errors: internal, with what does not add up.
  virtual Result<void> check() const = 0;
  /// Forgets every sequence and cached block: the executor's memory was lost.
  virtual void reset() = 0;
};

}  // namespace troupe
