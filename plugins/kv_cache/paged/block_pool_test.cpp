#include "block_pool.h"

#include "troupe/api/check.h"

#include <gtest/gtest.h>

namespace troupe::paged {
namespace {

BlockPool pool_of(std::size_t num_blocks) {
  BlockPool pool;
  pool.reset(num_blocks);
  return pool;
}

TEST(BlockPool, IsAStackThatBeginsWithBlockZero) {
  auto pool = pool_of(3);
  EXPECT_EQ(pool.take(), BlockId{0});
  EXPECT_EQ(pool.take(), BlockId{1});
  pool.release(BlockId{0});
  EXPECT_EQ(pool.take(), BlockId{0});
  EXPECT_EQ(pool.num_free(), 1u);
}

TEST(BlockPool, NeverGoesBelowZeroOwnersOrBeyondItsEnd) {
  auto pool = pool_of(1);
  EXPECT_THROW(pool.release(BlockId{0}), CheckFailure);
  EXPECT_THROW(pool.release(BlockId{1}), CheckFailure);
  EXPECT_EQ(pool.take(), BlockId{0});
  EXPECT_THROW(static_cast<void>(pool.take()), CheckFailure);
  pool.release(BlockId{0});
  EXPECT_EQ(pool.num_free(), 1u);
}

TEST(BlockPool, KeepsABlockWithoutOwnersUntilItIsDiscarded) {
  auto pool = pool_of(2);
  const BlockId block = pool.take();
  pool.release(block, true);
  EXPECT_EQ(pool.num_cached(), 1u);
  EXPECT_EQ(pool.num_free(), 1u);
  pool.add_owner(block);
  EXPECT_EQ(pool.num_cached(), 0u);
  pool.add_owner(block);
  pool.release(block, true);
  EXPECT_FALSE(pool.is_cached(block));
  pool.release(block, true);
  pool.discard(block);
  EXPECT_EQ(pool.num_free(), 2u);
  EXPECT_THROW(pool.add_owner(block), CheckFailure);
  EXPECT_THROW(pool.touch(block), CheckFailure);
  EXPECT_TRUE(pool.check({0, 0}));
}

TEST(BlockPool, TheCachedBlockUsedLongestAgoIsTheOldest) {
  auto pool = pool_of(4);
  for (int i = 0; i < 4; ++i)
    static_cast<void>(pool.take());
  for (const std::uint32_t i : {2u, 0u, 3u, 1u})
    pool.release(BlockId{i}, true);
  pool.touch(BlockId{2});
  pool.add_owner(BlockId{0});
  pool.release(BlockId{0}, true);
  std::vector<std::uint32_t> order;
  for (; pool.num_cached() > 0; pool.discard(pool.oldest_cached()))
    order.push_back(pool.oldest_cached().value);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{3, 1, 2, 0}));
  EXPECT_THROW(static_cast<void>(pool.oldest_cached()), CheckFailure);
}

TEST(BlockPool, ItsCheckNamesTheBlockThatDoesNotAddUp) {
  auto pool = pool_of(3);
  static_cast<void>(pool.take());
  EXPECT_TRUE(pool.check({1, 0, 0}));
  EXPECT_EQ(pool.check({0, 0, 0}).error().message(),
            "block 0: 1 owners in the books, 0 tables hold it");
  EXPECT_EQ(pool.check({1, 0, 2}).error().message(),
            "block 2: 0 owners in the books, 2 tables hold it");
}

TEST(BlockPool, OfNoBlocksIsEmptyAndSound) {
  auto pool = pool_of(0);
  EXPECT_EQ(pool.num_free(), 0u);
  EXPECT_TRUE(pool.check({}));
}

}  // namespace
}  // namespace troupe::paged
