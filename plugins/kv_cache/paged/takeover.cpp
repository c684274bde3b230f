#include "paged_cache.h"
#include "troupe/core/block_math.h"

#include <algorithm>

namespace troupe::paged {
namespace {

std::int32_t common_tokens(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<std::int32_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                   a.begin());
}

}  // namespace

void PagedCache::find_takeover(const Want& want) {
  takeover_.clear();
  const auto limit =
      std::min(want.max_cached_tokens, static_cast<std::int32_t>(want.token_ids.size()));
  if (limit <= 0) return;
  take_from_parent(want, limit);
  if (share_prefixes_ && takeover_.num_tokens < limit) {
    match_prefix(want, limit, found_);
    if (found_.num_tokens > takeover_.num_tokens) std::swap(takeover_, found_);
  }
  take_from_swap(want, limit);
}

/// Full blocks as long as they are equal, then the most that any block after them has in common. A
/// limit within a full block counts as a difference: that block will be written, so it is copied.
void PagedCache::match_prefix(const Want& want, std::int32_t limit, Takeover& found) {
  found.clear();
  const auto root = index_.find_root(want.cache_salt, want.adapter);
  if (!root) return;
  found.source = Takeover::Source::prefix;
  found.node = *root;
  const auto tokens = want.token_ids.first(static_cast<std::size_t>(limit));
  std::size_t at = 0;
  for (; at + kBlockSize <= tokens.size(); at += kBlockSize) {
    const auto next = index_.find(found.node, tokens.subspan(at, kBlockSize));
    if (!next) break;
    found.node = *next;
    found.shared.push_back(next->block);
  }
  const auto rest = tokens.subspan(at, std::min<std::size_t>(kBlockSize, tokens.size() - at));
  const auto partial = index_.find_partial(found.node, rest);
  found.copied = partial.block;
  found.num_indexed = static_cast<std::int32_t>(found.shared.size());
  found.num_tokens = static_cast<std::int32_t>(at) + partial.num_tokens;
}

/// Whether a sequence of which so many positions are computed can do without its first blocks.
bool PagedCache::may_lack(std::int32_t num_blocks, const Want& want,
                          std::int32_t num_computed) const {
  const auto first_read =
      window_ > 0 ? num_computed - window_ + 1 : first_needed(want, num_computed);
  return tokens_in(num_blocks) <= first_read;
}

/// The child writes the block after the shared ones in the same step, and the parent may: it is
/// copied now or never.
void PagedCache::take_from_parent(const Want& want, std::int32_t limit) {
  if (!want.fork_of) return;
  const auto found = sequences_.find(*want.fork_of);
  if (found == sequences_.end() || !found->second.is_trusted) return;
  const auto& parent = found->second;
  const auto num_tokens = std::min(limit, common_tokens(parent.tokens, want.token_ids));
  if (num_tokens == 0 || !may_lack(parent.first_held, want, num_tokens)) return;
  const auto num_full = num_tokens / kBlockSize;
  takeover_.source = Takeover::Source::fork;
  takeover_.num_tokens = num_tokens;
  takeover_.num_absent = std::min(parent.first_held, num_full);
  takeover_.shared.assign(parent.table.begin(), parent.table.begin() + num_full);
  if (num_tokens % kBlockSize != 0)
    takeover_.copied = parent.table[static_cast<std::size_t>(num_full)];
}

/// What the prefix index has of it is shared as it is; the rest comes from the lower tier.
void PagedCache::take_from_swap(const Want& want, std::int32_t limit) {
  const auto found = swapped_.find(want.sequence);
  if (found == swapped_.end()) return;
  const auto& swapped = found->second;
  const auto num_tokens = std::min(limit, common_tokens(swapped.tokens, want.token_ids));
  if (num_tokens <= takeover_.num_tokens) return;
  const auto num_shared = static_cast<std::int32_t>(takeover_.shared.size());
  if (swapped.first_block > num_shared) {
    if (!may_lack(swapped.first_block, want, num_tokens)) return;
    takeover_.num_absent = swapped.first_block;
    takeover_.shared.resize(static_cast<std::size_t>(swapped.first_block), kNoBlock);
  }
  takeover_.source = Takeover::Source::swap;
  takeover_.num_tokens = num_tokens;
  takeover_.copied = kNoBlock;
}

}  // namespace troupe::paged
