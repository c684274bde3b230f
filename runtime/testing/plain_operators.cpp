#include "troupe/testing/plain_operators.h"

#include "troupe/core/block_math.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace troupe::testing {

void PickLargest::sample(const SampleBatch& batch, SampledTokens& out) const {
  out.step = batch.step;
  out.tokens.assign(batch.rows.size(), {});
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const auto& row = batch.rows[i];
    const auto logits = batch.logits.row(row.row);
    std::optional<TokenId> best;
    const TokenId end = batch.vocab_size > 0 ? batch.vocab_size : batch.logits.vocab_size;
    for (TokenId id = 0; id < end; ++id) {
      if (std::find(row.banned.begin(), row.banned.end(), id) != row.banned.end()) continue;
      const auto logit = logits[static_cast<std::size_t>(id)];
      if (std::isfinite(logit) && (!best || logit > logits[static_cast<std::size_t>(*best)]))
        best = id;
    }
    out.tokens[i].sequence = row.sequence;
    out.tokens[i].token = best.value_or(0);
    if (!best) out.tokens[i].error = Error(ErrorCode::internal, "no candidate");
  }
}

PlainCache::PlainCache(std::int64_t num_blocks) : num_blocks_(num_blocks) {
  reset();
}

void PlainCache::reset() {
  tables_.clear();
  free_.clear();
  for (std::int64_t i = 0; i < num_blocks_; ++i)
    free_.push_back(BlockId{static_cast<std::uint32_t>(i)});
}

void PlainCache::give_back(Table& table, std::int64_t before) {
  for (; table.first_held < before; ++table.first_held)
    free_.push_back(table.blocks[static_cast<std::size_t>(table.first_held)]);
}

void PlainCache::reserve(const BlockRequest& request, BlockGrant& out) {
  out.clear();
  out.step = request.step;
  for (const auto& given_back : request.releases) {
    auto& table = tables_[given_back.sequence];
    give_back(table, static_cast<std::int64_t>(table.blocks.size()));
    tables_.erase(given_back.sequence);
  }
  for (const auto& want : request.wants) {
    auto& table = tables_[want.sequence];
    const auto held = static_cast<std::int64_t>(table.blocks.size());
    const auto needed_from = std::min(block_index(want.first_needed), held);
    const auto missing = blocks_for(want.num_tokens) - held;
    // What leaves the window counts as free for the want itself.
    const auto leaving = std::max<std::int64_t>(0, needed_from - table.first_held);
    const auto free = static_cast<std::int64_t>(free_.size()) + leaving;
    BlockGrant::Grant grant;
    grant.sequence = want.sequence;
    grant.first_new_block = static_cast<std::int32_t>(held);
    grant.short_of_blocks = static_cast<std::int32_t>(std::max<std::int64_t>(0, missing - free));
    if (grant.short_of_blocks == 0) give_back(table, needed_from);
    for (std::int64_t i = 0; i < missing && grant.short_of_blocks == 0; ++i) {
      grant.new_blocks.push_back(free_.back());
      table.blocks.push_back(free_.back());
      free_.pop_back();
    }
    grant.first_held_block = static_cast<std::int32_t>(table.first_held);
    out.grants.push_back(std::move(grant));
  }
}

CacheStats PlainCache::stats() const {
  CacheStats stats;
  stats.blocks_total = num_blocks_;
  stats.blocks_free = static_cast<std::int64_t>(free_.size());
  stats.blocks_used = stats.blocks_total - stats.blocks_free;
  return stats;
}

}  // namespace troupe::testing
