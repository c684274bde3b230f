#include "troupe/core/block_math.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

TEST(BlockMath, CountsTheBlocksOfALength) {
  EXPECT_EQ(blocks_for(0), 0);
  EXPECT_EQ(blocks_for(1), 1);
  EXPECT_EQ(blocks_for(15), 1);
  EXPECT_EQ(blocks_for(16), 1);
  EXPECT_EQ(blocks_for(17), 2);
  EXPECT_EQ(blocks_for(INT64_MAX), INT64_MAX / 16 + 1);
}

TEST(BlockMath, AnExactMultipleFillsItsLastBlock) {
  EXPECT_EQ(last_block_tokens(0), 0);
  EXPECT_EQ(last_block_tokens(1), 1);
  EXPECT_EQ(last_block_tokens(16), 16);
  EXPECT_EQ(last_block_tokens(17), 1);
  EXPECT_EQ(last_block_tokens(4096), 16);
}

TEST(BlockMath, BlockIndexAndOffsetNameEveryPositionOnce) {
  for (std::int64_t position = 0; position < 100; ++position) {
    EXPECT_EQ(tokens_in(block_index(position)) + block_offset(position), position);
    EXPECT_LT(block_index(position), blocks_for(position + 1));
  }
}

}  // namespace
}  // namespace troupe
