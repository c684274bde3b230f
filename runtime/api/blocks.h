#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/operator.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// What becomes of the keys and values of a sequence that gives back its blocks.
enum class AfterRelease : std::uint8_t {
  share,   // those published may serve another prompt, or this sequence when it comes back
  swap,    // as share, and they move to a lower tier if that has room: the sequence will come back
  forget,  // they cannot be trusted: nobody gets them any more
};

/// What the scheduler asks of the key-value cache for one step. It is answered in this order:
/// publishes, releases, wants; the wants in their order, which is the order of priority.
struct BlockRequest {
  /// Tokens of a sequence whose keys and values are computed by now. Full blocks may be shared from
  /// here on, and what is in the last one when the sequence gives it back.
  struct Publish {
    SequenceId sequence;
    std::span<const TokenId> token_ids;  // all from position 0; valid until the grant is made
  };
  struct Release {
    SequenceId sequence;
    AfterRelease after = AfterRelease::share;
  };
  struct Want {
    SequenceId sequence;
    std::int32_t num_tokens = 0;  // positions 0 .. num_tokens - 1 must have a slot
    /// Positions before this one are never read again (sliding window): whole blocks before it are
    /// not needed.
    std::int32_t first_needed = 0;
    /// First mention of a sequence, or the first one after its release: its tokens so far, to be
    /// matched with what is computed already. They are valid until the grant is made.
    std::span<const TokenId> token_ids = {};
    /// First mention: so many positions at most may be taken as computed. 0 = all must be computed,
    /// because every row of logits is wanted.
    std::int32_t max_cached_tokens = 0;
    /// First mention: takes over what this sequence of the same request has in common with it,
    /// whether or not prefixes are shared with others.
    std::optional<SequenceId> fork_of = {};
    /// First mention: only sequences with the same salt and adapter share blocks. Valid until the
    /// grant is made.
    std::string_view cache_salt = {};
    std::string_view adapter = {};
  };
  StepId step;
  /// The step before failed: its copies and swaps were perhaps not done.
  bool last_step_failed = false;
  std::vector<Publish> publishes;
  std::vector<Release> releases;
  std::vector<Want> wants;

  void clear() {
    last_step_failed = false;
    publishes.clear();
    releases.clear();
    wants.clear();
  }
};

/// A copy of one block to another, to be done before the step.
struct BlockCopy {
  BlockId from;
  BlockId to;
};

/// A block of a sequence that moves between the device and a slot of a lower tier. Slots 0 ..
/// ExecutorInfo::num_host_slots - 1 are in host memory, those after them in the file tier.
struct BlockSwap {
  SequenceId sequence;
  BlockId block;
  std::uint32_t slot = 0;
};

/// Stands in a block table where a sliding window needs no block any more.
inline constexpr BlockId kNoBlock{UINT32_MAX};

/// The cache's answer, one grant per want and in the same order. The memory operations are to be
/// done before the step: first swap_outs, then copies, then swap_ins.
struct BlockGrant {
  struct Grant {
    SequenceId sequence;
    /// 0 = granted. Else the sequence got nothing new and this many blocks were missing.
    std::int32_t short_of_blocks = 0;
    /// First mention: positions already computed, from the prefix index, a fork or a lower tier.
    std::int32_t num_cached_tokens = 0;
    std::int32_t first_new_block = 0;  // index in the sequence's table where `new_blocks` go
    std::vector<BlockId> new_blocks;   // kNoBlock before Want::first_needed
    /// The blocks of the table before this index went back (sliding window).
    std::int32_t first_held_block = 0;
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
  std::int64_t unused_slots = 0;   // of the blocks in live tables: positions nobody asked for
  std::int64_t lookups = 0;        // prompts compared with the prefix index
  std::int64_t lookup_tokens = 0;  // their tokens
  std::int64_t hits = 0;           // lookups that found something
  std::int64_t cached_tokens = 0;  // what they found
  std::int64_t evictions = 0;
  std::int64_t copied_blocks = 0;
  std::int64_t swap_slots_total = 0;
  std::int64_t swap_slots_used = 0;
  std::int64_t swapped_out_blocks = 0;
  std::int64_t swapped_in_blocks = 0;
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
  /// Forgets every sequence, cached block and swapped block: the executor's memory was lost.
  virtual void reset() = 0;
};

}  // namespace troupe
