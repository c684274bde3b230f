#pragma once
#include "troupe/api/blocks.h"
#include "troupe/api/sampler.h"

#include <map>
#include <vector>

namespace troupe::testing {

/// Draws the largest logit, the smaller id on a tie; looks at no other parameter than the banned
/// ids. For tests of other kinds.
class PickLargest : public Sampler {
 public:
  void sample(const SampleBatch& batch, SampledTokens& out) const override;
};

/// A key-value cache to be read at a glance: the model that others are compared with. It shares
/// nothing and has no lower tier.
class PlainCache : public KvCache {
 public:
  explicit PlainCache(std::int64_t num_blocks);
  void reserve(const BlockRequest& request, BlockGrant& out) override;
  CacheStats stats() const override;
  Result<void> check() const override { return {}; }
  void reset() override;

 private:
  std::int64_t num_blocks_;
  std::vector<BlockId> free_;
  struct Table {
    std::vector<BlockId> blocks;
    std::int64_t first_held = 0;  // those before left the sliding window
  };
  std::map<SequenceId, Table> tables_;
  void give_back(Table& table, std::int64_t before);
};

}  // namespace troupe::testing
