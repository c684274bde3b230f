#include "paged_cache.h"
#include "troupe/core/block_math.h"

#include <string>

namespace troupe::paged {
namespace {

tl::unexpected<Error> broken(const std::string& what) {
  return fail(ErrorCode::internal, what);
}

}  // namespace

CacheStats PagedCache::stats() const {
  CacheStats stats = counts_;
  stats.blocks_total = static_cast<std::int64_t>(pool_.size());
  stats.blocks_free = static_cast<std::int64_t>(pool_.num_free());
  stats.blocks_used = static_cast<std::int64_t>(pool_.num_used());
  stats.blocks_cached = static_cast<std::int64_t>(pool_.num_cached());
  stats.swap_slots_total = static_cast<std::int64_t>(slots_.size());
  stats.swap_slots_used = static_cast<std::int64_t>(slots_.num_used());
  for (const auto& [id, sequence] : sequences_)
    stats.unused_slots +=
        tokens_in(static_cast<std::int64_t>(sequence.table.size())) - sequence.num_asked;
  return stats;
}

Result<void> PagedCache::count_table(SequenceId id, const Sequence& sequence) const {
  const auto who = "sequence " + std::to_string(id.value);
  for (std::size_t i = 0; i < sequence.table.size(); ++i) {
    const BlockId block = sequence.table[i];
    const bool held = i >= static_cast<std::size_t>(sequence.first_held);
    if (!held && block == kNoBlock) continue;
    if (!held || block.value >= pool_.size())
      return broken(who + " holds block " + std::to_string(block.value) + " at place " +
                    std::to_string(i) + ", from place " + std::to_string(sequence.first_held) +
                    " on, of a pool of " + std::to_string(pool_.size()));
    ++counted_owners_[block.value];
    if (i >= static_cast<std::size_t>(sequence.num_fixed)) written_[block.value] = true;
  }
  if (static_cast<std::int64_t>(sequence.table.size()) == blocks_for(sequence.num_asked)) return {};
  return broken(who + " has " + std::to_string(sequence.table.size()) + " blocks for " +
                std::to_string(sequence.num_asked) + " positions");
}

Result<void> PagedCache::check_sharing() const {
  for (std::size_t block = 0; block < pool_.size(); ++block)
    if (written_[block] && counted_owners_[block] > 1)
      return broken("block " + std::to_string(block) + " is in " +
                    std::to_string(counted_owners_[block]) +
                    " tables, and one of them may write there");
  return {};
}

Result<void> PagedCache::check_cached() const {
  for (std::uint32_t block = 0; block < pool_.size(); ++block)
    if (pool_.owners(BlockId{block}) == 0 &&
        pool_.is_cached(BlockId{block}) != index_.contains(BlockId{block}))
      return broken("block " + std::to_string(block) +
                    (pool_.is_cached(BlockId{block}) ? " is cached, but not indexed"
                                                     : " is free, but indexed"));
  return {};
}

void PagedCache::count_users() const {
  root_users_.assign(index_.num_roots(), 0);
  counted_slots_.assign(slots_.size(), 0);
  if (share_prefixes_)
    for (const auto& [id, sequence] : sequences_)
      ++root_users_[sequence.path.node.root];
  for (const auto& [id, swapped] : swapped_) {
    if (share_prefixes_) ++root_users_[swapped.path.node.root];
    for (const auto slot : swapped.slots)
      ++counted_slots_[slot];
  }
}

Result<void> PagedCache::check() const {
  counted_owners_.assign(pool_.size(), 0);
  written_.assign(pool_.size(), false);
  for (const auto& [id, sequence] : sequences_)
    if (auto good = count_table(id, sequence); !good) return good;
  if (auto good = pool_.check(counted_owners_); !good) return good;
  if (auto good = check_sharing(); !good) return good;
  if (auto good = check_cached(); !good) return good;
  count_users();
  if (auto good = index_.check(root_users_); !good) return good;
  return slots_.check(counted_slots_);
}

}  // namespace troupe::paged
