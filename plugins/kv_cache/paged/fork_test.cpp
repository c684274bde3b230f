#include "test_rig.h"

namespace troupe::paged {
namespace {

BlockGrant::Grant fork(Rig& rig, std::uint64_t child, std::uint64_t parent,
                       std::vector<TokenId> tokens) {
  rig.first(child, std::move(tokens)).fork_of = SequenceId{parent};
  return rig.ask().grants.at(0);
}

TEST(Fork, SharesFullBlocksAndCopiesTheLastOne) {
  for (const bool prefix_cache : {true, false}) {
    Rig rig({.prefix_cache = prefix_cache});
    rig.admit(1, text(40));
    rig.publish(1, text(40)).ask();
    const auto grant = fork(rig, 2, 1, text(41));
    EXPECT_EQ(grant.num_cached_tokens, 40);
    EXPECT_EQ(grant.new_blocks, blocks({0, 1, 3}));
    ASSERT_EQ(rig.grant.copies.size(), 1u);
    EXPECT_EQ(rig.grant.copies[0].from, BlockId{2});
    EXPECT_EQ(rig.grant.copies[0].to, BlockId{3});
    EXPECT_EQ(rig.cache.stats().blocks_used, 4);
  }
}

TEST(Fork, OfAWholeNumberOfBlocksCopiesNothing) {
  Rig rig({.prefix_cache = false});
  rig.admit(1, text(32));
  rig.publish(1, text(32)).ask();
  EXPECT_EQ(fork(rig, 2, 1, text(33)).num_cached_tokens, 32);
  EXPECT_TRUE(rig.grant.copies.empty());
}

TEST(Fork, TakesOverOnlyWhatBothHaveInCommon) {
  Rig rig({.prefix_cache = false});
  rig.admit(1, text(40));
  rig.publish(1, text(40)).ask();
  EXPECT_EQ(fork(rig, 2, 1, text(20) + text(20, 5000)).num_cached_tokens, 20);
}

TEST(Fork, SharedBlocksStayUntilTheLastOwnerLeaves) {
  Rig rig({.prefix_cache = false});
  rig.admit(1, text(32));
  rig.publish(1, text(32)).ask();
  for (std::uint64_t child = 2; child < 5; ++child)
    EXPECT_EQ(fork(rig, child, 1, text(33)).short_of_blocks, 0);
  EXPECT_EQ(rig.cache.stats().blocks_used, 5);
  rig.release(1).release(3).release(4).ask();
  EXPECT_EQ(rig.cache.stats().blocks_used, 3);
  rig.release(2).ask();
  EXPECT_EQ(rig.cache.stats().blocks_free, 8);
}

TEST(Fork, OfASequenceThatIsGoneFallsBackToThePrefixIndex) {
  Rig rig;
  rig.compute(1, text(40));
  EXPECT_EQ(fork(rig, 2, 1, text(41)).num_cached_tokens, 40);
  Rig off({.prefix_cache = false});
  off.compute(1, text(40));
  EXPECT_EQ(fork(off, 2, 1, text(41)).num_cached_tokens, 0);
}

TEST(Fork, TheLongerOfParentAndIndexIsTaken) {
  Rig rig({.num_blocks = 16});
  rig.compute(1, text(80));
  rig.first(2, text(40)).max_cached_tokens = 0;
  rig.ask();
  rig.publish(2, text(40)).ask();
  EXPECT_EQ(fork(rig, 3, 2, text(80)).num_cached_tokens, 79);
}

// The parent has blocks whose content is only copied in this very step.
TEST(Fork, TakesNothingThatIsNotPublished) {
  Rig rig({.prefix_cache = false});
  rig.first(1, text(40));
  rig.first(2, text(41)).fork_of = SequenceId{1};
  EXPECT_EQ(rig.ask().grants[1].num_cached_tokens, 0);
}

TEST(Fork, OfASequenceWhoseCopiesFailedTakesNothing) {
  Rig rig;
  rig.compute(1, text(24));
  EXPECT_EQ(rig.admit(2, text(40)).num_cached_tokens, 24);
  rig.request.last_step_failed = true;
  rig.publish(2, text(40));
  EXPECT_EQ(fork(rig, 3, 2, text(41)).num_cached_tokens, 24);  // from the index
}

}  // namespace
}  // namespace troupe::paged
