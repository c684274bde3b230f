#include "block_pool.h"
#include "troupe/api/plugin.h"
#include "troupe/core/block_math.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::paged {
namespace {

constexpr ParamSpec kParams[] = {
    {.name = "num_blocks",
     .type = ParamType::integer,
     .default_value = "0",
     .help = "blocks of 16 tokens to hand out; 0 = all that the executor has",
     .unit = "blocks",
     .min = 0,
     .max = 4294967295.0}};

/// Hands out fixed-size blocks on demand. A want is granted whole or not at all.
class PagedCache : public KvCache {
 public:
  Result<void> configure(const Params& params) override {
    limit_ = params.get_int("num_blocks");
    return {};
  }

  Result<void> start(Resources& resources) override {
    const auto info = resources.executor_info();
    if (!info) return fail_at("kv_cache paged", info.error());
    if (info->num_blocks < 1 || info->num_blocks > UINT32_MAX)
      return fail(ErrorCode::invalid_argument,
                  "the executor has " + std::to_string(info->num_blocks) +
                      " KV blocks; expected 1 to 4294967295; give it more memory");
    if (limit_ > info->num_blocks)
      return fail(ErrorCode::invalid_argument,
                  "num_blocks = " + std::to_string(limit_) + ": the executor has only " +
                      std::to_string(info->num_blocks) + " blocks; 0 takes all of them");
    pool_.reset(static_cast<std::size_t>(limit_ == 0 ? info->num_blocks : limit_));
    counted_owners_.reserve(pool_.size());
    return {};
  }

  void stop() noexcept override {
    tables_.clear();
    pool_.reset(0);
  }

  void reserve(const BlockRequest& request, BlockGrant& out) override {
    out.clear();
    out.step = request.step;
    for (const auto& given_back : request.releases)
      release(given_back.sequence);
    for (const auto& want : request.wants)
      out.grants.push_back(grant(want));
  }

  CacheStats stats() const override {
    CacheStats stats;
    stats.blocks_total = static_cast<std::int64_t>(pool_.size());
    stats.blocks_free = static_cast<std::int64_t>(pool_.num_free());
    stats.blocks_used = stats.blocks_total - stats.blocks_free;
    return stats;
  }

  Result<void> check() const override {
    counted_owners_.assign(pool_.size(), 0);
    for (const auto& [sequence, table] : tables_)
      for (const BlockId block : table) {
        if (block.value >= pool_.size())
          return fail(ErrorCode::internal, "sequence " + std::to_string(sequence.value) +
                                               " holds block " + std::to_string(block.value) +
                                               " of a pool of " + std::to_string(pool_.size()));
        ++counted_owners_[block.value];
      }
    return pool_.check(counted_owners_);
  }

  void reset() override {
    tables_.clear();
    pool_.reset(pool_.size());
  }

 private:
  /// A sequence that holds nothing (any more) has nothing to give back.
  void release(SequenceId sequence) {
    const auto found = tables_.find(sequence);
    if (found == tables_.end()) return;
    // Last block first: the next sequence gets them in ascending order again.
    for (auto block = found->second.rbegin(); block != found->second.rend(); ++block)
      pool_.release(*block);
    tables_.erase(found);
  }

  BlockGrant::Grant grant(const BlockRequest::Want& want) {
    TROUPE_CHECK(want.num_tokens >= 0);
    BlockGrant::Grant grant;
    grant.sequence = want.sequence;
    const auto found = tables_.find(want.sequence);
    const std::int64_t have =
        found == tables_.end() ? 0 : static_cast<std::int64_t>(found->second.size());
    const std::int64_t missing = std::max<std::int64_t>(0, blocks_for(want.num_tokens) - have);
    const auto free = static_cast<std::int64_t>(pool_.num_free());
    grant.first_new_block = static_cast<std::int32_t>(have);
    if (missing > free) {
      grant.short_of_blocks = static_cast<std::int32_t>(missing - free);
      return grant;
    }
    if (missing == 0) return grant;
    auto& table = found == tables_.end() ? tables_[want.sequence] : found->second;
    grant.new_blocks.reserve(static_cast<std::size_t>(missing));
    for (std::int64_t i = 0; i < missing; ++i)
      grant.new_blocks.push_back(pool_.take());
    table.insert(table.end(), grant.new_blocks.begin(), grant.new_blocks.end());
    return grant;
  }

  std::int64_t limit_ = 0;
  BlockPool pool_;
  std::unordered_map<SequenceId, std::vector<BlockId>> tables_;
  mutable std::vector<std::uint32_t> counted_owners_;  // of check, kept to reuse its memory
};

constexpr OperatorSpec kSpec = make_operator<PagedCache, OperatorKind::kv_cache>(
    "paged", "fixed-size blocks of 16 tokens, handed out on demand from one pool",
    "Kwon et al., Efficient Memory Management for Large Language Model Serving with "
    "PagedAttention, SOSP 2023",
    kParams);

}  // namespace
}  // namespace troupe::paged

TROUPE_PLUGIN(kv_cache, paged, troupe::paged::kSpec)
