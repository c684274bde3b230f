#include "prefix_index.h"

#include "troupe/api/check.h"

#include <algorithm>
#include <bit>

namespace troupe::paged {
namespace {

/// Children that find_partial looks at. Many prompts may follow one block with the same token; the
/// work for a hostile one stays bounded.
constexpr int kMaxCandidates = 16;

std::int32_t common_prefix(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<std::int32_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                   a.begin());
}

}  // namespace

void PrefixIndex::reset(std::size_t num_blocks) {
  roots_.reset();
  entries_.assign(num_blocks, {});
  const auto num_buckets = std::bit_ceil(std::max<std::size_t>(1, num_blocks));
  full_.assign(num_buckets, {});
  children_.assign(num_buckets, {});
  full_links_.reset(num_blocks);
  child_links_.reset(num_blocks);
  size_ = 0;
}

PrefixNode PrefixIndex::root_node(std::uint32_t index) const {
  const auto& root = roots_.at(index);
  return {root.id, root.hash, kNoBlock, index};
}

PrefixNode PrefixIndex::node_of(BlockId block) const {
  const auto& entry = entries_[block.value];
  return {entry.id, entry.hash, block, entry.root};
}

PrefixNode PrefixIndex::enter_root(std::string_view salt, std::string_view adapter) {
  const auto index = roots_.find_or_add(salt, adapter, ++last_id_, hash_);
  roots_.add_user(index);
  return root_node(index);
}

std::optional<PrefixNode> PrefixIndex::find_root(std::string_view salt, std::string_view adapter) {
  const auto index = roots_.find(salt, adapter);
  if (!index) return std::nullopt;
  return root_node(*index);
}

bool PrefixIndex::is_alive(const PrefixNode& node) const {
  if (node.id == 0) return false;
  return node.block == kNoBlock ? roots_.at(node.root).id == node.id
                                : entries_[node.block.value].id == node.id;
}

std::optional<PrefixNode> PrefixIndex::parent_of(const PrefixNode& node) const {
  const auto& entry = entries_[node.block.value];
  if (entry.parent == kNoBlock) return root_node(entry.root);
  if (entries_[entry.parent.value].id != entry.parent_id) return std::nullopt;
  return node_of(entry.parent);
}

std::optional<PrefixNode> PrefixIndex::find(const PrefixNode& parent,
                                            std::span<const TokenId> tokens) const {
  const auto hash = chain_hash(hash_, parent.hash, tokens);
  auto block = full_[bucket(hash.low)].front;
  for (; block != BlockList::kEnd; block = full_links_.next(block)) {
    const auto& entry = entries_[block];
    if (entry.hash == hash && entry.parent_id == parent.id &&
        std::equal(tokens.begin(), tokens.end(), entry.tokens.begin()))
      return node_of(BlockId{block});
  }
  return std::nullopt;
}

PrefixIndex::Partial PrefixIndex::find_partial(const PrefixNode& parent,
                                               std::span<const TokenId> tokens) const {
  Partial best;
  if (tokens.empty()) return best;
  int looked_at = 0;
  auto block = children_[bucket(child_hash(hash_, parent.id, tokens[0]))].front;
  for (; block != BlockList::kEnd && looked_at < kMaxCandidates; block = child_links_.next(block)) {
    const auto& entry = entries_[block];
    if (entry.parent_id != parent.id || entry.tokens[0] != tokens[0]) continue;
    ++looked_at;
    const auto common = common_prefix(entry.known(), tokens);
    if (common > best.num_tokens) best = {BlockId{block}, common};
  }
  return best;
}

void PrefixIndex::enter(const PrefixNode& parent, BlockId block, TokenId first_token,
                        SequenceId computed_by) {
  auto& entry = entries_[block.value];
  entry.id = ++last_id_;
  entry.parent_id = parent.id;
  entry.parent = parent.block;
  entry.root = parent.root;
  entry.computed_by = computed_by;
  entry.num_tokens = 0;
  entry.child_bucket = bucket(child_hash(hash_, parent.id, first_token));
  child_links_.push_front(children_[entry.child_bucket], block);
  roots_.add_user(entry.root);
  ++size_;
}

PrefixNode PrefixIndex::put(const PrefixNode& parent, BlockId block,
                            std::span<const TokenId> tokens, SequenceId computed_by) {
  TROUPE_CHECK(!tokens.empty() && tokens.size() <= kBlockSize && is_alive(parent));
  auto& entry = entries_[block.value];
  if (entry.id != 0 && entry.parent_id != parent.id) remove(block);
  if (entry.id == 0) enter(parent, block, tokens[0], computed_by);
  const auto known = static_cast<std::size_t>(entry.num_tokens);
  TROUPE_CHECK(tokens.size() >= known);
  TROUPE_DCHECK(std::equal(entry.known().begin(), entry.known().end(), tokens.begin()));
  std::copy(tokens.begin() + entry.num_tokens, tokens.end(),
            entry.tokens.begin() + entry.num_tokens);
  entry.num_tokens = static_cast<std::int32_t>(tokens.size());
  if (known < kBlockSize && tokens.size() == kBlockSize) {
    entry.hash = chain_hash(hash_, parent.hash, tokens);
    full_links_.push_front(full_[bucket(entry.hash.low)], block);
  }
  return node_of(block);
}

void PrefixIndex::remove(BlockId block) {
  auto& entry = entries_[block.value];
  TROUPE_CHECK(entry.id != 0);
  child_links_.remove(children_[entry.child_bucket], block);
  if (entry.num_tokens == kBlockSize) full_links_.remove(full_[bucket(entry.hash.low)], block);
  roots_.remove_user(entry.root);
  entry.id = 0;
  entry.num_tokens = 0;
  --size_;
}

Result<void> PrefixIndex::check_lists(const std::vector<BlockList>& lists, const BlockLinks& links,
                                      bool full) const {
  const auto broken = [&](std::uint32_t block) {
    return fail(ErrorCode::internal, "block " + std::to_string(block) + " is in a list of " +
                                         (full ? "full blocks" : "children") +
                                         " where it does not belong");
  };
  std::size_t num_listed = 0;
  for (std::uint32_t i = 0; i < lists.size(); ++i)
    for (auto block = lists[i].front; block != BlockList::kEnd; block = links.next(block)) {
      const auto& entry = entries_[block];
      const auto belongs_in = full ? bucket(entry.hash.low) : entry.child_bucket;
      if (entry.id == 0 || belongs_in != i || (full && !is_full(BlockId{block})) ||
          ++num_listed > size_)
        return broken(block);
    }
  std::size_t num_entries = 0;
  for (const auto& entry : entries_)
    num_entries += entry.id != 0 && (!full || entry.num_tokens == kBlockSize);
  if (num_entries == num_listed) return {};
  return fail(ErrorCode::internal, std::to_string(num_entries) +
                                       (full ? " full blocks, " : " blocks are indexed, ") +
                                       std::to_string(num_listed) + " can be found");
}

Result<void> PrefixIndex::check(std::vector<std::uint32_t>& root_users) const {
  std::size_t num_entries = 0;
  for (const auto& entry : entries_) {
    if (entry.id == 0) continue;
    ++num_entries;
    ++root_users[entry.root];
  }
  if (num_entries != size_)
    return fail(ErrorCode::internal, std::to_string(num_entries) + " blocks are indexed, " +
                                         std::to_string(size_) + " in the books");
  if (auto good = check_lists(children_, child_links_, false); !good) return good;
  if (auto good = check_lists(full_, full_links_, true); !good) return good;
  return roots_.check(root_users);
}

}  // namespace troupe::paged
