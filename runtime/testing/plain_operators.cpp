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

void PlainCache::reserve(const BlockRequest& request, BlockGrant& out) {
  out.clear();
  out.step = request.step;
  for (const auto& given_back : request.releases) {
    auto& table = tables_[given_back.sequence];
    free_.insert(free_.end(), table.begin(), table.end());
    tables_.erase(given_back.sequence);
  }
  for (const auto& want : request.wants) {
    auto& table = tables_[want.sequence];
    const auto missing = blocks_for(want.num_tokens) - static_cast<std::int64_t>(table.size());
    const auto free = static_cast<std::int64_t>(free_.size());
    BlockGrant::Grant grant;
    grant.sequence = want.sequence;
    grant.first_new_block = static_cast<std::int32_t>(table.size());
    grant.short_of_blocks = static_cast<std::int32_t>(std::max<std::int64_t>(0, missing - free));
    for (std::int64_t i = 0; i < missing && missing <= free; ++i) {
      grant.new_blocks.push_back(free_.back());
      table.push_back(free_.back());
      free_.pop_back();
    }
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
