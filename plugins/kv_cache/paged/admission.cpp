#include "paged_cache.h"
#include "troupe/core/block_math.h"

#include <algorithm>

namespace troupe::paged {

/// What the want calls needed holds if as much is computed as it may hope for. With less, positions
/// further back are read.
std::int32_t PagedCache::first_needed(const Want& want, std::int32_t num_computed) const {
  if (window_ > 0) return std::clamp(num_computed - window_ + 1, 0, want.first_needed);
  return want.first_needed <= num_computed ? want.first_needed : 0;
}

std::int32_t PagedCache::first_block(const Want& want) const {
  const auto needed = block_index(first_needed(want, takeover_.num_tokens));
  return std::max(static_cast<std::int32_t>(needed), takeover_.num_absent);
}

/// The first mention of a sequence, or the first one after its release.
BlockGrant::Grant PagedCache::admit(const Want& want, BlockGrant& out) {
  Grant grant;
  grant.sequence = want.sequence;
  if (want.num_tokens == 0) return grant;
  find_takeover(want);
  const auto first = first_block(want);
  const auto num_blocks =
      static_cast<std::int32_t>(blocks_for(std::max(want.num_tokens, takeover_.num_tokens)));
  const auto num_shared = static_cast<std::int32_t>(takeover_.shared.size());
  std::int64_t available = num_available();
  for (auto i = first; i < num_shared; ++i)
    available -= pool_.is_cached(takeover_.shared[static_cast<std::size_t>(i)]);
  const std::int64_t missing = num_blocks - std::max(first, num_shared);
  if (missing > available) {
    grant.short_of_blocks = static_cast<std::int32_t>(missing - available);
    return grant;
  }
  const auto& sequence = enter(want, first, num_blocks);
  fill(want.sequence, sequence, out);
  drop_swapped(want.sequence);
  count_lookup(want);
  grant.num_cached_tokens = takeover_.num_tokens;
  grant.new_blocks = sequence.table;
  grant.first_held_block = first;
  return grant;
}

/// Blocks taken over get their owner before the first new one is taken, which may evict.
Sequence& PagedCache::enter(const Want& want, std::int32_t first, std::int32_t num_blocks) {
  auto& sequence = sequences_[want.sequence];
  if (share_prefixes_) {
    sequence.path.node = index_.enter_root(want.cache_salt, want.adapter);
    if (takeover_.num_indexed > 0) {
      sequence.path.node = takeover_.node;
      sequence.path.num_blocks = takeover_.num_indexed;
    }
  }
  sequence.first_held = first;
  sequence.num_fixed = takeover_.num_tokens / kBlockSize;
  sequence.num_taken = static_cast<std::int32_t>(takeover_.shared.size());
  sequence.num_asked = std::max(want.num_tokens, takeover_.num_tokens);
  auto& table = sequence.table;
  table.reserve(static_cast<std::size_t>(num_blocks));
  table.assign(static_cast<std::size_t>(first), kNoBlock);
  while (table.size() < takeover_.shared.size()) {
    table.push_back(takeover_.shared[table.size()]);
    pool_.add_owner(table.back());
  }
  if (takeover_.copied != kNoBlock && pool_.is_cached(takeover_.copied))
    pool_.touch(takeover_.copied);
  while (table.size() < static_cast<std::size_t>(num_blocks))
    table.push_back(take());
  return sequence;
}

/// What is to be copied and swapped in. The block that is copied may have been evicted for this
/// very grant: copies come before anything else is written.
void PagedCache::fill(SequenceId id, const Sequence& sequence, BlockGrant& out) {
  const auto num_shared = takeover_.shared.size();
  if (takeover_.source == Takeover::Source::swap) {
    const auto& swapped = swapped_.at(id);
    const auto end = static_cast<std::size_t>(blocks_for(takeover_.num_tokens));
    const auto begin = std::max(num_shared, static_cast<std::size_t>(sequence.first_held));
    for (auto i = begin; i < end; ++i)
      out.swap_ins.push_back({id, sequence.table[i],
                              swapped.slots[i - static_cast<std::size_t>(swapped.first_block)]});
    counts_.swapped_in_blocks += static_cast<std::int64_t>(end - begin);
    filled_.push_back(id);
  } else if (takeover_.copied != kNoBlock) {
    const BlockId to = sequence.table[num_shared];
    if (to == takeover_.copied) return;  // evicted and handed out right here
    out.copies.push_back({takeover_.copied, to});
    ++counts_.copied_blocks;
    filled_.push_back(id);
  }
}

void PagedCache::count_lookup(const Want& want) {
  const bool compared = share_prefixes_ && want.max_cached_tokens > 0 && !want.token_ids.empty() &&
                        takeover_.source != Takeover::Source::fork &&
                        takeover_.source != Takeover::Source::swap;
  if (!compared) return;
  ++counts_.lookups;
  counts_.lookup_tokens += static_cast<std::int64_t>(want.token_ids.size());
  counts_.hits += takeover_.num_tokens > 0;
  counts_.cached_tokens += takeover_.num_tokens;
}

}  // namespace troupe::paged
