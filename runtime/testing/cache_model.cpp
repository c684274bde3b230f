#include "troupe/testing/cache_model.h"

#include "troupe/core/block_math.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace troupe::testing {

CacheModel::CacheModel(KvCache& cache, const CacheModelSetup& setup)
    : cache_(cache),
      setup_(setup),
      num_blocks_(cache.stats().blocks_total),
      random_(setup.seed),
      memory_(num_blocks_, cache.stats().swap_slots_total) {}

void CacheModel::turn() {
  request_.last_step_failed = step_failed_;
  if (step_failed_) release_what_failed();
  publish();
  release_some();
  want_some();
  ask();
  step();
  expect_truth();
}

void CacheModel::finish() {
  for (const auto& [id, sequence] : sequences_)
    request_.releases.push_back({SequenceId{id}});
  sequences_.clear();
  ask();
  const auto stats = cache_.stats();
  EXPECT_EQ(stats.blocks_used, 0);
  EXPECT_EQ(stats.swap_slots_used, 0);
  EXPECT_EQ(stats.unused_slots, 0);
}

std::int32_t CacheModel::below(std::int32_t end) {
  return static_cast<std::int32_t>(random_() % static_cast<unsigned>(std::max(1, end)));
}

std::int32_t CacheModel::first_needed(std::int32_t position) const {
  return setup_.sliding_window == 0 ? 0 : std::max(0, position - setup_.sliding_window + 1);
}

/// Few distinct tokens and few distinct beginnings: there is much to share.
std::vector<TokenId> CacheModel::some_text() {
  std::vector<TokenId> tokens;
  std::mt19937 fixed(random_() % 4);
  const auto num_fixed = static_cast<std::size_t>(below(90));
  while (tokens.size() < num_fixed)
    tokens.push_back(static_cast<TokenId>(fixed() % 3));
  const auto size = num_fixed + 2 + static_cast<std::size_t>(below(40));
  while (tokens.size() < size)
    tokens.push_back(below(3));
  tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(tokens_in(num_blocks_)) - 1));
  return tokens;
}

AfterRelease CacheModel::some_after() {
  return chance(50) ? AfterRelease::swap : chance(75) ? AfterRelease::share : AfterRelease::forget;
}

std::span<const TokenId> CacheModel::keep(std::vector<TokenId> tokens) {
  texts_.push_back(std::make_unique<std::vector<TokenId>>(std::move(tokens)));
  return *texts_.back();
}

void CacheModel::publish() {
  for (auto& [id, sequence] : sequences_)
    if (sequence.live && sequence.num_computed > 0 && chance(80))
      request_.publishes.push_back(
          {SequenceId{id},
           keep({sequence.tokens.begin(), sequence.tokens.begin() + sequence.num_computed})});
}

void CacheModel::release(std::uint64_t id, AfterRelease after) {
  auto& sequence = sequences_.at(id);
  if (after == AfterRelease::forget && sequence.live) condemn(id);
  request_.releases.push_back({SequenceId{id}, after});
  sequence.live = sequence.ran = sequence.filled = false;
  sequence.parent.reset();
  sequence.table.clear();
  sequence.first_held = sequence.num_computed = sequence.num_granted = 0;
}

/// What a sequence that is to be forgotten computed, and nobody else reads, becomes garbage.
void CacheModel::condemn(std::uint64_t id) {
  const auto& sequence = sequences_.at(id);
  for (auto i = static_cast<std::size_t>(blocks_for(sequence.num_cached));
       i < sequence.table.size(); ++i) {
    const BlockId block = sequence.table[i];
    const auto shares = [&](const auto& other) {
      const auto& table = other.second.table;
      return other.first != id && std::find(table.begin(), table.end(), block) != table.end();
    };
    if (block != kNoBlock && std::none_of(sequences_.begin(), sequences_.end(), shares))
      condemned_.push_back(block);
  }
}

void CacheModel::spoil() {
  for (const BlockId block : condemned_)
    if (std::none_of(grant_.swap_outs.begin(), grant_.swap_outs.end(),
                     [&](const BlockSwap& swap) { return swap.block == block; }))
      memory_.block(block).assign(kBlockSize, -7);
  condemned_.clear();
}

void CacheModel::release_what_failed() {
  for (auto& [id, sequence] : sequences_)
    if (sequence.live && (sequence.filled || (sequence.ran && chance(50))))
      release(id, some_after());
}

void CacheModel::release_some() {
  std::vector<std::uint64_t> ended;
  for (auto& [id, sequence] : sequences_) {
    if (!chance(sequence.live ? 8 : 4)) continue;
    release(id, some_after());
    if (!chance(60)) continue;
    request_.releases.push_back({SequenceId{id}});  // it ended: also where it was swapped to
    ended.push_back(id);
  }
  for (const auto id : ended)
    sequences_.erase(id);
}

void CacheModel::add_sequence() {
  Sequence added;
  added.tokens = some_text();
  added.salt = chance(30) ? "salt" : "";
  if (!sequences_.empty() && chance(40)) {
    auto parent = sequences_.begin();
    std::advance(parent, below(static_cast<std::int32_t>(sequences_.size())));
    added.parent = parent->first;
    added.salt = parent->second.salt;
    const auto& theirs = parent->second.tokens;
    const auto common = std::min(added.tokens.size(), theirs.size());
    std::copy_n(theirs.begin(), common - std::min<std::size_t>(common, random_() % 20),
                added.tokens.begin());
  }
  sequences_.emplace(++last_id_, std::move(added));
}

void CacheModel::want_some() {
  if (sequences_.size() < 10 && chance(40)) add_sequence();
  for (auto& [id, sequence] : sequences_)
    if (chance(70)) sequence.live ? want(id, sequence) : want_first(id, sequence);
}

void CacheModel::want(std::uint64_t id, const Sequence& sequence) {
  auto& want = request_.wants.emplace_back();
  const auto size = static_cast<std::int32_t>(sequence.tokens.size());
  want.sequence = SequenceId{id};
  want.num_tokens =
      std::max(std::min(size, sequence.num_computed + 1 + below(20)), sequence.num_granted);
  want.first_needed = first_needed(sequence.num_computed);
}

void CacheModel::want_first(std::uint64_t id, const Sequence& sequence) {
  auto& want = request_.wants.emplace_back();
  const auto size = static_cast<std::int32_t>(sequence.tokens.size());
  want.sequence = SequenceId{id};
  want.token_ids = keep(sequence.tokens);
  want.num_tokens = chance(30) ? 1 + below(size) : size;
  want.max_cached_tokens = chance(20) ? below(size) : size - 1;
  if (chance(50)) want.first_needed = first_needed(want.max_cached_tokens);
  if (sequence.parent) want.fork_of = SequenceId{*sequence.parent};
  want.cache_salt = sequence.salt;
}

void CacheModel::ask() {
  cache_.reserve(request_, grant_);
  const auto good = cache_.check();
  EXPECT_TRUE(good) << good.error().message();
  const auto stats = cache_.stats();
  EXPECT_EQ(stats.blocks_free + stats.blocks_used + stats.blocks_cached, stats.blocks_total);
  ASSERT_EQ(grant_.grants.size(), request_.wants.size());
  for (auto& [id, sequence] : sequences_)
    sequence.ran = sequence.filled = false;
  for (std::size_t i = 0; i < grant_.grants.size(); ++i)
    take_grant(request_.wants[i], grant_.grants[i]);
  request_.clear();
  texts_.clear();
}

void CacheModel::take_grant(const BlockRequest::Want& want, const BlockGrant::Grant& grant) {
  auto& sequence = sequences_.at(want.sequence.value);
  ASSERT_EQ(grant.sequence, want.sequence);
  if (sequence.live)
    for (; sequence.first_held < grant.first_held_block; ++sequence.first_held)
      sequence.table.at(static_cast<std::size_t>(sequence.first_held)) = kNoBlock;
  if (grant.short_of_blocks > 0) {
    ++num_short_;
    ASSERT_TRUE(grant.new_blocks.empty());
    return;
  }
  ASSERT_EQ(grant.first_new_block, static_cast<std::int32_t>(sequence.table.size()));
  sequence.table.insert(sequence.table.end(), grant.new_blocks.begin(), grant.new_blocks.end());
  if (!sequence.live) begin(sequence, want, grant);
  sequence.live = sequence.ran = true;
  sequence.num_granted = std::max({want.num_tokens, sequence.num_computed, sequence.num_granted});
  ASSERT_GE(tokens_in(static_cast<std::int64_t>(sequence.table.size())), sequence.num_granted);
}

void CacheModel::begin(Sequence& sequence, const BlockRequest::Want& want,
                       const BlockGrant::Grant& grant) {
  EXPECT_LE(grant.num_cached_tokens, want.max_cached_tokens);
  sequence.num_computed = sequence.num_cached = grant.num_cached_tokens;
  sequence.first_held = grant.first_held_block;
  sequence.filled = has_operations(want.sequence, grant);
  if (want.fork_of) num_forked_tokens_ += grant.num_cached_tokens;
}

bool CacheModel::has_operations(SequenceId id, const BlockGrant::Grant& grant) const {
  const auto is_new = [&](BlockId block) {
    return std::find(grant.new_blocks.begin(), grant.new_blocks.end(), block) !=
           grant.new_blocks.end();
  };
  return std::any_of(grant_.copies.begin(), grant_.copies.end(),
                     [&](const BlockCopy& copy) { return is_new(copy.to); }) ||
         std::any_of(grant_.swap_ins.begin(), grant_.swap_ins.end(),
                     [&](const BlockSwap& swap) { return swap.sequence == id; });
}

/// Each sequence that was granted something computes up to there. A step that fails may have done
/// some of it.
void CacheModel::step() {
  spoil();
  step_failed_ = setup_.failing_steps && chance(10);
  memory_.move(grant_, step_failed_ ? static_cast<std::size_t>(below(4)) : SIZE_MAX);
  for (auto& [id, sequence] : sequences_) {
    if (sequence.live && !sequence.ran && chance(30)) fill_last_block(sequence);
    if (!sequence.ran) continue;
    for (auto position = sequence.num_computed; position < sequence.num_granted; ++position) {
      const auto index = static_cast<std::size_t>(position);
      memory_.block(sequence.table.at(index / kBlockSize))[index % kBlockSize] =
          step_failed_ ? -9 : sequence.tokens[index];
    }
    if (!step_failed_) sequence.num_computed = sequence.num_granted;
  }
}

/// A sequence need not ask for positions that it has.
void CacheModel::fill_last_block(Sequence& sequence) {
  sequence.ran = true;
  sequence.num_granted = static_cast<std::int32_t>(
      std::min(sequence.tokens.size(), sequence.table.size() * kBlockSize));
}

/// Of all sequences that live, all that they hold; and they hold what they will read next.
void CacheModel::expect_truth() const {
  for (const auto& [id, sequence] : sequences_) {
    if (!sequence.live || (step_failed_ && sequence.filled)) continue;
    const auto begin = tokens_in(sequence.first_held);
    ASSERT_LE(begin, first_needed(sequence.num_computed));
    for (auto position = begin; position < sequence.num_computed; ++position) {
      const auto index = static_cast<std::size_t>(position);
      const BlockId block = sequence.table.at(index / kBlockSize);
      ASSERT_NE(block, kNoBlock);
      ASSERT_EQ(memory_.block(block)[index % kBlockSize], sequence.tokens[index])
          << "sequence " << id << " position " << position << " block " << block.value;
    }
  }
}

}  // namespace troupe::testing
