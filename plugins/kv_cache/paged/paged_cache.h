#pragma once
#include "block_pool.h"
#include "sequence.h"
#include "swap_slots.h"
#include "troupe/api/blocks.h"

#include <unordered_map>
#include <vector>

namespace troupe::paged {

/// Hands out fixed-size blocks on demand. A want is granted whole or not at all. Blocks whose
/// content is published are kept after their release, as long as nobody needs the room, and serve
/// other sequences that begin with the same tokens.
class PagedCache : public KvCache {
 public:
  explicit PagedCache(HashFunction hash = make_keyed_hash()) : index_(std::move(hash)) {}

  Result<void> configure(const Params& params) override;
  Result<void> start(Resources& resources) override;
  void stop() noexcept override;
  void reserve(const BlockRequest& request, BlockGrant& out) override;
  CacheStats stats() const override;
  Result<void> check() const override;
  void reset() override;

 private:
  using Want = BlockRequest::Want;
  using Grant = BlockGrant::Grant;

  void clear(std::size_t num_blocks, std::int64_t num_host_slots, std::int64_t num_file_slots);

  // publish.cpp
  void publish(const BlockRequest::Publish& publish);
  void index_tokens(SequenceId id, Sequence& sequence);
  bool index_block(SequenceId id, Sequence& sequence);

  // release.cpp
  void distrust_last_grant();
  void release(const BlockRequest::Release& release, BlockGrant& out);
  void swap_out(SequenceId id, const Sequence& sequence, BlockGrant& out);
  void drop(const Sequence& sequence);
  void drop_swapped(SequenceId id);
  void forget(SequenceId id, const IndexedPath& path, const std::vector<BlockId>& table);
  void touch_path(const IndexedPath& path);
  /// Releases a block that the index may still want.
  void give_back(BlockId block) { pool_.release(block, index_.contains(block)); }

  // takeover.cpp: sets takeover_.
  void find_takeover(const Want& want);
  void match_prefix(const Want& want, std::int32_t limit, Takeover& found);
  void take_from_parent(const Want& want, std::int32_t limit);
  void take_from_swap(const Want& want, std::int32_t limit);
  bool may_lack(std::int32_t num_blocks, const Want& want, std::int32_t num_computed) const;

  // admission.cpp
  Grant admit(const Want& want, BlockGrant& out);
  std::int32_t first_needed(const Want& want, std::int32_t num_computed) const;
  std::int32_t first_block(const Want& want) const;
  Sequence& enter(const Want& want, std::int32_t first, std::int32_t num_blocks);
  void fill(SequenceId id, const Sequence& sequence, BlockGrant& out);
  void count_lookup(const Want& want);

  Grant grow(Sequence& sequence, const Want& want);
  void leave_window(Sequence& sequence, std::int32_t first_needed);
  std::int64_t num_available() const {
    return static_cast<std::int64_t>(pool_.num_free() + pool_.num_cached());
  }
  BlockId take();

  // books.cpp
  Result<void> count_table(SequenceId id, const Sequence& sequence) const;
  Result<void> check_sharing() const;
  Result<void> check_cached() const;
  void count_users() const;

  std::int64_t limit_ = 0;
  bool share_prefixes_ = true;
  std::int32_t window_ = 0;  // positions a token looks back; 0 = all
  BlockPool pool_;
  PrefixIndex index_;
  SwapSlots slots_;
  std::unordered_map<SequenceId, Sequence> sequences_;
  std::unordered_map<SequenceId, Swapped> swapped_;
  CacheStats counts_;  // those that only grow

  // Of the grant made last.
  std::vector<SequenceId> swapped_out_;
  std::vector<SequenceId> filled_;  // by copies or from a lower tier

  // Kept to reuse their memory.
  Takeover takeover_;
  Takeover found_;
  std::vector<BlockId> forgotten_;
  mutable std::vector<std::uint32_t> counted_owners_;
  mutable std::vector<bool> written_;  // per block: some holder may write there
  mutable std::vector<std::uint32_t> counted_slots_;
  mutable std::vector<std::uint32_t> root_users_;
};

}  // namespace troupe::paged
