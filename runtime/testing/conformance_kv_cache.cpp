#include "troupe/testing/cache_model.h"
#include "troupe/testing/conformance_kinds.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace troupe::testing {
namespace {

/// What the cache told so far, compared with what it may tell.
class Ledger {
 public:
  explicit Ledger(KvCache& cache) : cache_(cache), total_(cache.stats().blocks_total) {}

  std::int64_t total() const { return total_; }
  const std::map<SequenceId, std::vector<BlockId>>& tables() const { return tables_; }

  BlockGrant ask(const BlockRequest& request) {
    BlockGrant grant;
    grant.grants.resize(2);  // what an earlier step left there
    cache_.reserve(request, grant);
    for (const auto& given_back : request.releases)
      tables_.erase(given_back.sequence);
    EXPECT_EQ(grant.grants.size(), request.wants.size());
    grant.grants.resize(request.wants.size());
    for (std::size_t i = 0; i < request.wants.size(); ++i)
      enter(request.wants[i], grant.grants[i]);
    expect_books();
    return grant;
  }

  void expect_books() {
    const auto good = cache_.check();
    EXPECT_TRUE(good) << good.error().message();
    const auto stats = cache_.stats();
    EXPECT_EQ(stats.blocks_free + stats.blocks_used + stats.blocks_cached, stats.blocks_total);
    std::set<BlockId> held;
    for (const auto& [sequence, table] : tables_)
      held.insert(table.begin(), table.end());
    EXPECT_EQ(stats.blocks_used, static_cast<std::int64_t>(held.size()));
  }

 private:
  void enter(const BlockRequest::Want& want, const BlockGrant::Grant& grant) {
    EXPECT_EQ(grant.sequence, want.sequence);
    EXPECT_GE(grant.short_of_blocks, 0);
    if (grant.short_of_blocks > 0) {
      EXPECT_TRUE(grant.new_blocks.empty()) << "a want is granted whole or not at all";
      return;
    }
    auto& table = tables_[want.sequence];
    if (!grant.new_blocks.empty()) {
      EXPECT_EQ(grant.first_new_block, static_cast<std::int32_t>(table.size()));
    }
    for (const BlockId block : grant.new_blocks) {
      EXPECT_LT(block.value, total_);
      table.push_back(block);
    }
    EXPECT_GE(static_cast<std::int64_t>(table.size()) * kBlockSize, want.num_tokens);
    if (table.empty()) tables_.erase(want.sequence);
  }

  KvCache& cache_;
  std::int64_t total_;
  std::map<SequenceId, std::vector<BlockId>> tables_;
};

BlockRequest::Want want(std::uint64_t sequence, std::int64_t num_tokens) {
  BlockRequest::Want want;
  want.sequence = SequenceId{sequence};
  want.num_tokens = static_cast<std::int32_t>(num_tokens);
  return want;
}

void expect_whole_pool_and_no_more(Ledger& ledger) {
  BlockRequest request;
  request.wants = {want(1, ledger.total() * kBlockSize + 1)};
  EXPECT_GT(ledger.ask(request).grants[0].short_of_blocks, 0);
  request.wants = {want(1, ledger.total() * kBlockSize), want(2, 1), want(1, 0)};
  const auto grant = ledger.ask(request);
  EXPECT_EQ(grant.grants[0].short_of_blocks, 0);
  EXPECT_EQ(grant.grants[1].short_of_blocks, 1);
  EXPECT_EQ(grant.grants[2].short_of_blocks, 0);
  request.releases = {{SequenceId{1}}, {SequenceId{77}}};  // the second one holds nothing
  request.wants = {want(2, 1)};
  EXPECT_EQ(ledger.ask(request).grants[0].short_of_blocks, 0);
  request.releases = {{SequenceId{2}}};
  request.wants.clear();
  static_cast<void>(ledger.ask(request));
}

/// What is shared, copied and swapped has the right content, whatever is published, released,
/// forked and wanted, with steps that fail and without.
void expect_true_content(KvCache& cache) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    cache.reset();
    CacheModel model(cache, {.failing_steps = seed % 2 == 1, .seed = seed});
    for (int turn = 0; turn < 200; ++turn)
      model.turn();
    model.finish();
  }
  cache.reset();
}

/// Published tokens may serve others, but only those who may share.
void expect_no_sharing_across_salts(KvCache& cache) {
  const std::vector<TokenId> tokens(kBlockSize + 4, 7);
  const auto cached = [&](std::uint64_t sequence, std::string_view salt, std::string_view adapter) {
    BlockRequest request;
    request.wants = {want(sequence, kBlockSize + 4)};
    request.wants[0].token_ids = tokens;
    request.wants[0].max_cached_tokens = kBlockSize + 3;
    request.wants[0].cache_salt = salt;
    request.wants[0].adapter = adapter;
    BlockGrant grant;
    cache.reserve(request, grant);
    request.clear();
    request.publishes = {{SequenceId{sequence}, tokens}};
    request.releases = {{SequenceId{sequence}}};
    BlockGrant none;
    cache.reserve(request, none);
    return grant.grants.at(0).num_cached_tokens;
  };
  EXPECT_EQ(cached(1, "a", ""), 0);
  EXPECT_EQ(cached(2, "b", ""), 0);
  EXPECT_EQ(cached(3, "", "a"), 0);
  EXPECT_EQ(cached(4, "", ""), 0);
  EXPECT_LE(cached(5, "a", ""), kBlockSize + 3);
}

}  // namespace

void check_kv_cache(const MakeOperator& make) {
  const auto op = make();
  auto* cache = dynamic_cast<KvCache*>(op.get());
  ASSERT_NE(cache, nullptr);
  Ledger ledger(*cache);
  ASSERT_GT(ledger.total(), 0);
  EXPECT_TRUE(ledger.ask({}).grants.empty());
  expect_whole_pool_and_no_more(ledger);
  expect_true_content(*cache);
  expect_no_sharing_across_salts(*cache);
  cache->reset();
  EXPECT_EQ(cache->stats().blocks_used, 0);
  EXPECT_EQ(cache->stats().blocks_cached, 0);
  EXPECT_TRUE(cache->check());
}

}  // namespace troupe::testing
