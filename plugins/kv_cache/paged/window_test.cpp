#include "test_rig.h"

namespace troupe::paged {
namespace {

// D38
TEST(SlidingWindow, WholeBlocksBeforeItGoBackAndLeaveTheTable) {
  Rig rig({.prefix_cache = false});
  rig.admit(1, text(64));
  const auto grant = rig.grow(1, 65, 33);
  EXPECT_EQ(grant.first_held_block, 2);  // the block of position 33 stays
  EXPECT_EQ(grant.first_new_block, 4);
  EXPECT_EQ(rig.cache.stats().blocks_used, 3);
  EXPECT_EQ(rig.cache.stats().blocks_free, 5);
}

// D38
TEST(SlidingWindow, TheBlocksItLeavesServeTheVeryWantThatLeavesThem) {
  Rig rig({.num_blocks = 3, .prefix_cache = false});
  rig.admit(1, text(48));
  for (std::int32_t position = 48; position < 480; ++position)
    ASSERT_EQ(rig.grow(1, position + 1, position - 31).short_of_blocks, 0);
  EXPECT_EQ(rig.cache.stats().blocks_used, 2);
}

TEST(SlidingWindow, TheBlocksItLeavesStayCachedWhenTheyArePublished) {
  Rig rig;
  rig.admit(1, text(64));
  rig.publish(1, text(64));
  rig.grow(1, 65, 64);
  EXPECT_EQ(rig.cache.stats().blocks_cached, 4);
  EXPECT_EQ(rig.cache.stats().blocks_used, 1);
  EXPECT_EQ(rig.admit(2, text(65)).num_cached_tokens, 64);
}

TEST(SlidingWindow, APrefixMatchHoldsNoBlockBeforeIt) {
  Rig rig({.num_blocks = 5});
  rig.compute(1, text(64));
  auto& want = rig.first(2, text(80));
  want.first_needed = 40;
  const auto grant = rig.ask().grants[0];
  EXPECT_EQ(grant.num_cached_tokens, 64);
  EXPECT_EQ(grant.first_held_block, 2);
  EXPECT_EQ(grant.new_blocks[0], kNoBlock);
  EXPECT_EQ(grant.new_blocks[1], kNoBlock);
  EXPECT_EQ(grant.new_blocks[2], BlockId{2});
  EXPECT_EQ(rig.cache.stats().blocks_used, 3);
}

TEST(SlidingWindow, WhatMustBeComputedFirstHasItsBlocksWhateverIsNeededLater) {
  Rig rig;
  rig.compute(1, text(16));
  rig.first(2, text(64)).first_needed = 48;
  const auto grant = rig.ask().grants[0];
  EXPECT_EQ(grant.num_cached_tokens, 16);
  EXPECT_EQ(grant.first_held_block, 0);
  EXPECT_EQ(rig.cache.stats().blocks_used, 4);
}

TEST(SlidingWindow, AShorterMatchThanTheWantHopedForHoldsWhatItsFirstTokenReads) {
  Rig rig({.sliding_window = 24});
  rig.compute(1, text(52));
  rig.first(2, text(72)).first_needed = 72 - 24;  // as if 71 were computed
  const auto grant = rig.ask().grants[0];
  EXPECT_EQ(grant.num_cached_tokens, 52);
  EXPECT_EQ(grant.first_held_block, 1);  // position 52 reads from 29 on
}

TEST(SlidingWindow, ASwappedSequenceComesBackWithoutTheBlocksItHadLeft) {
  for (const std::int32_t first_needed : {0, 33}) {
    Rig rig({.prefix_cache = false, .num_host_slots = 8, .sliding_window = 32});
    rig.admit(1, text(64));
    rig.publish(1, text(64));
    rig.grow(1, 65, 33);
    rig.release(1, AfterRelease::swap).ask();
    EXPECT_EQ(rig.grant.swap_outs.size(), 2u);
    rig.first(1, text(65)).first_needed = first_needed;
    const auto grant = rig.ask().grants[0];
    EXPECT_EQ(grant.num_cached_tokens, 64) << first_needed;
    EXPECT_EQ(grant.first_held_block, 2);
    EXPECT_EQ(rig.grant.swap_ins.size(), 2u);
    EXPECT_EQ(rig.cache.stats().blocks_used, 3);
  }
}

TEST(SlidingWindow, ASwappedSequenceWithAHoleIsComputedAgainWhenLessOfItMayBeUsed) {
  Rig rig({.prefix_cache = false, .num_host_slots = 8, .sliding_window = 32});
  rig.admit(1, text(64));
  rig.publish(1, text(64));
  rig.grow(1, 65, 33);
  rig.release(1, AfterRelease::swap).ask();
  rig.first(1, text(65)).max_cached_tokens = 40;  // position 40 reads from 9 on
  EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 0);
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 0);
}

TEST(SlidingWindow, AForkTakesOverTheHoleOfItsParent) {
  Rig rig({.prefix_cache = false, .sliding_window = 32});
  rig.admit(1, text(64));
  rig.publish(1, text(64));
  rig.grow(1, 65, 33);
  rig.first(2, text(65)).fork_of = SequenceId{1};
  const auto grant = rig.ask().grants[0];
  EXPECT_EQ(grant.num_cached_tokens, 64);
  EXPECT_EQ(grant.first_held_block, 2);
  rig.release(2).ask();
  auto& early = rig.first(3, text(65));
  early.fork_of = SequenceId{1};
  early.max_cached_tokens = 40;
  EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 0);
}

TEST(SlidingWindow, WhatWasForgottenIsForgottenBeforeTheWindowToo) {
  Rig rig;
  rig.admit(1, text(64));
  rig.publish(1, text(64));
  rig.grow(1, 65, 64);
  rig.release(1, AfterRelease::forget).ask();
  EXPECT_EQ(rig.cache.stats().blocks_free, 8);
}

TEST(SlidingWindow, OneThatLeftItsBlocksUnpublishedStopsSharing) {
  Rig rig;
  rig.admit(1, text(64));
  rig.grow(1, 65, 33);
  rig.publish(1, text(65)).release(1).ask();
  EXPECT_EQ(rig.cache.stats().blocks_cached, 0);
  EXPECT_EQ(rig.cache.stats().blocks_free, 8);
}

}  // namespace
}  // namespace troupe::paged
