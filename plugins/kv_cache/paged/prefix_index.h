#pragma once
#include "block_list.h"
#include "prefix_roots.h"
#include "troupe/api/blocks.h"

#include <array>

namespace troupe::paged {

/// A place in the tree of prefixes: a root, or a block that is indexed.
struct PrefixNode {
  std::uint64_t id = 0;  // never given twice; 0: nowhere
  Hash128 hash;
  BlockId block = kNoBlock;  // kNoBlock: the root
  std::uint32_t root = 0;
};

/// Which tokens lie in which block, as a tree: the children of a block are those that follow it.
/// Full blocks are found by a hash chained from the root; what is found is compared token by token,
/// and by the identity of its parent, so an equal hash is never taken for equal text. A block whose
/// parent left the index cannot be found any more; it ages until it is evicted.
class PrefixIndex {
 public:
  explicit PrefixIndex(HashFunction hash = make_keyed_hash()) : hash_(std::move(hash)) {}
  void reset(std::size_t num_blocks);

  /// The root of a salt and an adapter, for a user who leaves it one day.
  PrefixNode enter_root(std::string_view salt, std::string_view adapter);
  /// One more user of the root above a node that a user has.
  void share_root(const PrefixNode& node) { roots_.add_user(node.root); }
  void leave_root(const PrefixNode& node) { roots_.remove_user(node.root); }
  /// The root if it has anything or anyone; without a further user.
  std::optional<PrefixNode> find_root(std::string_view salt, std::string_view adapter);
  PrefixNode root_of(const PrefixNode& node) const { return root_node(node.root); }

  bool contains(BlockId block) const { return entries_[block.value].id != 0; }
  bool is_full(BlockId block) const { return entries_[block.value].num_tokens == kBlockSize; }
  SequenceId computed_by(BlockId block) const { return entries_[block.value].computed_by; }
  /// Whether a node that was given out stands for the same tokens still.
  bool is_alive(const PrefixNode& node) const;
  /// Pre: alive and no root. nullopt when the parent has left the index.
  std::optional<PrefixNode> parent_of(const PrefixNode& node) const;

  /// The child of `parent` that has exactly these kBlockSize tokens.
  std::optional<PrefixNode> find(const PrefixNode& parent, std::span<const TokenId> tokens) const;

  struct Partial {
    BlockId block = kNoBlock;
    std::int32_t num_tokens = 0;
  };
  /// The child of `parent` that begins with the most of `tokens`, full or not. It looks at the
  /// newest few that have the first token in common, whatever is cached.
  Partial find_partial(const PrefixNode& parent, std::span<const TokenId> tokens) const;

  /// Enters a block of 1 .. kBlockSize tokens under `parent`, or the tokens it got since. Pre:
  /// there is no other full child with these tokens.
  PrefixNode put(const PrefixNode& parent, BlockId block, std::span<const TokenId> tokens,
                 SequenceId computed_by);
  /// Pre: contains(block).
  void remove(BlockId block);

  std::size_t size() const { return size_; }

  /// Walks everything. `root_users`: sequences that have entered a root, per index; it must have
  /// num_roots() numbers and is changed. Errors: internal, with what does not add up.
  Result<void> check(std::vector<std::uint32_t>& root_users) const;
  std::size_t num_roots() const { return roots_.num_indices(); }

 private:
  struct Entry {
    std::uint64_t id = 0;  // 0: this block is not indexed
    std::uint64_t parent_id = 0;
    Hash128 hash;  // of a full block
    SequenceId computed_by;
    BlockId parent = kNoBlock;  // kNoBlock: the root
    std::uint32_t root = 0;
    std::uint32_t child_bucket = 0;
    std::int32_t num_tokens = 0;
    std::array<TokenId, kBlockSize> tokens;

    std::span<const TokenId> known() const {
      return std::span(tokens).first(static_cast<std::size_t>(num_tokens));
    }
  };

  PrefixNode root_node(std::uint32_t root) const;
  PrefixNode node_of(BlockId block) const;
  std::uint32_t bucket(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash & (full_.size() - 1));
  }
  void enter(const PrefixNode& parent, BlockId block, TokenId first_token, SequenceId computed_by);
  Result<void> check_lists(const std::vector<BlockList>& lists, const BlockLinks& links,
                           bool full) const;

  HashFunction hash_;
  std::uint64_t last_id_ = 0;
  PrefixRoots roots_;
  std::vector<Entry> entries_;       // per block
  std::vector<BlockList> full_;      // by the chained hash; a power of two
  std::vector<BlockList> children_;  // by parent and first token; newest first
  BlockLinks full_links_;
  BlockLinks child_links_;
  std::size_t size_ = 0;
};

}  // namespace troupe::paged
