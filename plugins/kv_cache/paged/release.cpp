#include "paged_cache.h"
#include "troupe/core/block_math.h"

namespace troupe::paged {

void PagedCache::distrust_last_grant() {
  for (const SequenceId id : swapped_out_)
    drop_swapped(id);
  for (const SequenceId id : filled_)
    if (const auto found = sequences_.find(id); found != sequences_.end())
      found->second.is_trusted = false;
}

/// A sequence that holds nothing (any more) has nothing to give back.
void PagedCache::release(const BlockRequest::Release& release, BlockGrant& out) {
  if (const auto found = swapped_.find(release.sequence); found != swapped_.end()) {
    if (release.after == AfterRelease::forget) forget(release.sequence, found->second.path, {});
    if (release.after != AfterRelease::swap) drop_swapped(release.sequence);
  }
  const auto found = sequences_.find(release.sequence);
  if (found == sequences_.end()) return;
  const auto& sequence = found->second;
  if (release.after == AfterRelease::forget)
    forget(release.sequence, sequence.path, sequence.table);
  if (release.after == AfterRelease::swap) swap_out(release.sequence, sequence, out);
  drop(sequence);
  sequences_.erase(found);
}

/// All computed blocks or none. They stay cached on the device too, until somebody needs the room.
void PagedCache::swap_out(SequenceId id, const Sequence& sequence, BlockGrant& out) {
  const auto end =
      static_cast<std::size_t>(blocks_for(static_cast<std::int64_t>(sequence.tokens.size())));
  const auto first = static_cast<std::size_t>(sequence.first_held);
  if (!sequence.is_trusted || end <= first || end - first > slots_.num_free()) return;
  auto& swapped = swapped_[id];
  swapped.tokens = sequence.tokens;
  swapped.first_block = sequence.first_held;
  swapped.path = sequence.path;
  if (share_prefixes_) index_.share_root(swapped.path.node);
  for (std::size_t i = first; i < end; ++i) {
    swapped.slots.push_back(slots_.take());
    out.swap_outs.push_back({id, sequence.table[i], swapped.slots.back()});
  }
  counts_.swapped_out_blocks += static_cast<std::int64_t>(end - first);
  swapped_out_.push_back(id);
}

/// The last block first: what follows a block is evicted before it, and the next sequence gets free
/// ones in ascending order again.
void PagedCache::drop(const Sequence& sequence) {
  for (auto i = sequence.table.size(); i > static_cast<std::size_t>(sequence.first_held); --i)
    give_back(sequence.table[i - 1]);
  if (!share_prefixes_) return;
  if (sequence.path.follows_others || sequence.first_held > 0) touch_path(sequence.path);
  index_.leave_root(sequence.path.node);
}

/// Blocks of the path that were out of the sequence's table get no older than those that follow.
void PagedCache::touch_path(const IndexedPath& path) {
  std::optional<PrefixNode> node = path.node;
  while (node && index_.is_alive(*node) && node->block != kNoBlock) {
    if (pool_.is_cached(node->block)) pool_.touch(node->block);
    node = index_.parent_of(*node);
  }
}

void PagedCache::drop_swapped(SequenceId id) {
  const auto found = swapped_.find(id);
  if (found == swapped_.end()) return;
  for (const auto slot : found->second.slots)
    slots_.release(slot);
  if (share_prefixes_) index_.leave_root(found->second.path.node);
  swapped_.erase(found);
}

/// What this sequence computed leaves the index, whether it is in its table still or not.
void PagedCache::forget(SequenceId id, const IndexedPath& path, const std::vector<BlockId>& table) {
  forgotten_.assign(table.begin(), table.end());
  if (index_.is_alive(path.tail)) forgotten_.push_back(path.tail.block);
  std::optional<PrefixNode> node = path.node;
  while (node && index_.is_alive(*node) && node->block != kNoBlock) {
    forgotten_.push_back(node->block);
    node = index_.parent_of(*node);
  }
  for (const BlockId block : forgotten_) {
    if (block == kNoBlock || !index_.contains(block) || index_.computed_by(block) != id) continue;
    index_.remove(block);
    if (pool_.is_cached(block)) pool_.discard(block);
  }
}

}  // namespace troupe::paged
