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
