#include "troupe/core/block_math.h"
#include "troupe/core/param_check.h"
#include "troupe/testing/conformance.h"
#include "troupe/testing/plain_operators.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

TROUPE_CONFORMANCE()

namespace troupe {
namespace {

std::unique_ptr<KvCache> make_cache(std::int64_t num_blocks, std::int64_t limit = 0) {
  testing::FakeResources resources;
  resources.executor->num_blocks = num_blocks;
  std::unique_ptr<Operator> op(troupe_plugin.spec->create());
  EXPECT_TRUE(op->configure(*complete_params(troupe_plugin.spec->params, {{"num_blocks", limit}})));
  EXPECT_TRUE(op->start(resources));
  return std::unique_ptr<KvCache>(dynamic_cast<KvCache*>(op.release()));
}

BlockRequest::Want want(std::uint64_t sequence, std::int32_t num_tokens) {
  BlockRequest::Want want;
  want.sequence = SequenceId{sequence};
  want.num_tokens = num_tokens;
  return want;
}

BlockGrant ask(KvCache& cache, std::vector<BlockRequest::Want> wants,
               std::vector<SequenceId> releases = {}) {
  BlockRequest request;
  request.wants = std::move(wants);
  for (const SequenceId sequence : releases)
    request.releases.push_back({sequence});
  BlockGrant grant;
  cache.reserve(request, grant);
  EXPECT_TRUE(cache.check());
  return grant;
}

std::vector<BlockId> blocks(std::initializer_list<std::uint32_t> ids) {
  std::vector<BlockId> blocks;
  for (const auto id : ids)
    blocks.push_back(BlockId{id});
  return blocks;
}

TEST(PagedCache, HandsOutBlocksOnlyAsPositionsNeedThem) {
  const auto cache = make_cache(8);
  EXPECT_EQ(ask(*cache, {want(1, 1)}).grants[0].new_blocks, blocks({0}));
  EXPECT_TRUE(ask(*cache, {want(1, 16)}).grants[0].new_blocks.empty());
  const auto grown = ask(*cache, {want(1, 17)}).grants[0];
  EXPECT_EQ(grown.new_blocks, blocks({1}));
  EXPECT_EQ(grown.first_new_block, 1);
  EXPECT_EQ(cache->stats().blocks_used, 2);
}

// D36: a length that is an exact multiple of the block size needs no further block.
TEST(PagedCache, AnExactMultipleOfTheBlockSizeFillsItsLastBlock) {
  const auto cache = make_cache(4);
  EXPECT_EQ(ask(*cache, {want(1, 64)}).grants[0].new_blocks, blocks({0, 1, 2, 3}));
  EXPECT_EQ(cache->stats().blocks_free, 0);
  EXPECT_EQ(ask(*cache, {want(1, 65)}).grants[0].short_of_blocks, 1);
}

TEST(PagedCache, AWantThatIsShortChangesNothing) {
  const auto cache = make_cache(4);
  const auto grant = ask(*cache, {want(1, 32), want(2, 65), want(2, 48), want(3, 32)});
  EXPECT_EQ(grant.grants[0].short_of_blocks, 0);
  EXPECT_EQ(grant.grants[1].short_of_blocks, 3);  // needs 5, 2 are free
  EXPECT_EQ(grant.grants[2].short_of_blocks, 1);
  EXPECT_TRUE(grant.grants[2].new_blocks.empty());
  EXPECT_EQ(grant.grants[3].new_blocks, blocks({2, 3}));  // later wants still have their chance
}

TEST(PagedCache, GivesReleasedBlocksToTheWantsOfTheSameRequest) {
  const auto cache = make_cache(2);
  static_cast<void>(ask(*cache, {want(1, 32)}));
  EXPECT_EQ(ask(*cache, {want(2, 32)}, {SequenceId{1}}).grants[0].short_of_blocks, 0);
  // Released and wanted again in one request: it begins anew.
  const auto again = ask(*cache, {want(2, 16)}, {SequenceId{2}}).grants[0];
  EXPECT_EQ(again.first_new_block, 0);
  EXPECT_EQ(again.new_blocks.size(), 1u);
  EXPECT_EQ(cache->stats().blocks_free, 1);
}

TEST(PagedCache, HandsOutTheBlockFreedLastFirst) {
  const auto cache = make_cache(8);
  static_cast<void>(ask(*cache, {want(1, 32), want(2, 32)}));
  EXPECT_EQ(ask(*cache, {want(3, 48)}, {SequenceId{1}}).grants[0].new_blocks, blocks({0, 1, 4}));
}

TEST(PagedCache, ReleasingTwiceOrWhatHoldsNothingIsNoFault) {
  const auto cache = make_cache(4);
  static_cast<void>(ask(*cache, {want(1, 20)}));
  static_cast<void>(ask(*cache, {}, {SequenceId{1}, SequenceId{1}, SequenceId{9}}));
  EXPECT_EQ(cache->stats().blocks_free, 4);
}

TEST(PagedCache, ForgetsEverythingOnReset) {
  const auto cache = make_cache(4);
  static_cast<void>(ask(*cache, {want(1, 64)}));
  cache->reset();
  EXPECT_EQ(cache->stats().blocks_free, 4);
  EXPECT_EQ(ask(*cache, {want(1, 64)}).grants[0].new_blocks, blocks({0, 1, 2, 3}));
}

TEST(PagedCache, TheParameterLimitsThePoolAndMayNotExceedIt) {
  EXPECT_EQ(make_cache(100, 7)->stats().blocks_total, 7);
  EXPECT_EQ(make_cache(100, 0)->stats().blocks_total, 100);
  testing::FakeResources resources;
  std::unique_ptr<Operator> op(troupe_plugin.spec->create());
  ASSERT_TRUE(op->configure(*complete_params(troupe_plugin.spec->params, {{"num_blocks", 65}})));
  const auto refused = op->start(resources);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "num_blocks = 65: the executor has only 64 blocks; 0 takes all of them");
}

TEST(PagedCache, DoesNotStartWithoutAnExecutorOrItsBlocks) {
  testing::FakeResources resources;
  for (const std::int64_t num_blocks :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{UINT32_MAX}, std::int64_t{1} << 33}) {
    resources.executor->num_blocks = num_blocks;
    std::unique_ptr<Operator> op(troupe_plugin.spec->create());
    EXPECT_FALSE(op->start(resources)) << num_blocks;
  }
  resources.executor.reset();
  std::unique_ptr<Operator> op(troupe_plugin.spec->create());
  EXPECT_EQ(op->start(resources).error().code(), ErrorCode::not_found);
}

/// One random request: some sequences grow, some are released, some want too much.
BlockRequest random_request(std::mt19937& random, std::vector<std::int32_t>& lengths) {
  BlockRequest request;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto dice = random() % 10;
    if (dice == 0) {
      request.releases.push_back({SequenceId{i}});
      lengths[i] = 0;
    } else if (dice < 6) {
      request.wants.push_back(
          want(i, lengths[i] + static_cast<std::int32_t>(random() % (dice == 1 ? 200 : 20))));
    }
  }
  return request;
}

TEST(PagedCache, EqualsANaiveModelUnderRandomRequests) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::int64_t num_blocks = 1 + static_cast<std::int64_t>(random() % 40);
    const auto cache = make_cache(num_blocks);
    testing::PlainCache model(num_blocks);
    std::vector<std::int32_t> lengths(1 + random() % 12, 0);
    BlockGrant found, expected;
    for (int turn = 0; turn < 60; ++turn) {
      const auto request = random_request(random, lengths);
      cache->reserve(request, found);
      model.reserve(request, expected);
      ASSERT_EQ(found.grants.size(), expected.grants.size());
      for (std::size_t i = 0; i < found.grants.size(); ++i) {
        const auto& grant = found.grants[i];
        ASSERT_EQ(grant.short_of_blocks, expected.grants[i].short_of_blocks) << "seed " << seed;
        ASSERT_EQ(grant.first_new_block, expected.grants[i].first_new_block) << "seed " << seed;
        ASSERT_EQ(grant.new_blocks.size(), expected.grants[i].new_blocks.size());
        if (grant.short_of_blocks == 0) {
          auto& length = lengths[grant.sequence.value];
          length = std::max(length, request.wants[i].num_tokens);
        }
      }
      const auto good = cache->check();
      ASSERT_TRUE(good) << "seed " << seed << ": " << good.error().message();
      ASSERT_EQ(cache->stats().blocks_used, model.stats().blocks_used);
    }
  }
}

}  // namespace
}  // namespace troupe
