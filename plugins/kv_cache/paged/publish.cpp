#include "paged_cache.h"

#include <algorithm>

namespace troupe::paged {

void PagedCache::publish(const BlockRequest::Publish& publish) {
  const auto found = sequences_.find(publish.sequence);
  if (found == sequences_.end() || !found->second.is_trusted) return;
  auto& sequence = found->second;
  auto& known = sequence.tokens;
  TROUPE_CHECK(publish.token_ids.size() >= known.size());  // what is computed stays computed
  TROUPE_CHECK(publish.token_ids.size() <= sequence.table.size() * kBlockSize);
  TROUPE_DCHECK(std::equal(known.begin(), known.end(), publish.token_ids.begin()));
  known.insert(known.end(), publish.token_ids.begin() + static_cast<std::ptrdiff_t>(known.size()),
               publish.token_ids.end());
  // Nobody asks for the positions that the last block has anyway.
  sequence.num_asked = std::max(sequence.num_asked, static_cast<std::int32_t>(known.size()));
  sequence.num_fixed =
      std::max(sequence.num_fixed, static_cast<std::int32_t>(known.size()) / kBlockSize);
  if (share_prefixes_) index_tokens(publish.sequence, sequence);
}

/// Only the tokens since the last publish: where they begin in the index is remembered.
void PagedCache::index_tokens(SequenceId id, Sequence& sequence) {
  auto& path = sequence.path;
  if (!index_.is_alive(path.node)) {
    // A block on the path belonged to another sequence and was evicted: enter them all again.
    path.node = index_.root_of(path.node);
    path.num_blocks = 0;
  }
  const auto num_tokens = static_cast<std::int32_t>(sequence.tokens.size());
  while ((path.num_blocks + 1) * kBlockSize <= num_tokens)
    if (!index_block(id, sequence)) return;
  const auto rest =
      std::span(sequence.tokens).subspan(static_cast<std::size_t>(path.num_blocks * kBlockSize));
  if (rest.empty()) return;
  const BlockId own = sequence.table[static_cast<std::size_t>(path.num_blocks)];
  path.tail = index_.put(path.node, own, rest, id);
}

/// The next full block. False when the index has none such and this sequence cannot enter it: it
/// has left the block, or it took it over from one who did not enter it or had it forgotten.
bool PagedCache::index_block(SequenceId id, Sequence& sequence) {
  auto& path = sequence.path;
  const auto index = static_cast<std::size_t>(path.num_blocks);
  const auto tokens = std::span(sequence.tokens).subspan(index * kBlockSize, kBlockSize);
  const BlockId own = sequence.table[index];
  if (const auto found = index_.find(path.node, tokens)) {
    if (found->block != own) {
      // Computed twice. What follows hangs on the one that was first.
      if (own != kNoBlock && index_.contains(own)) index_.remove(own);
      path.follows_others = true;
    }
    path.node = *found;
  } else if (own != kNoBlock && path.num_blocks >= sequence.num_taken) {
    path.node = index_.put(path.node, own, tokens, id);
  } else {
    return false;
  }
  path.tail = {};
  ++path.num_blocks;
  return true;
}

}  // namespace troupe::paged
