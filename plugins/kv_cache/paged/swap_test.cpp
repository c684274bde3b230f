#include "test_rig.h"

namespace troupe::paged {
namespace {

RigSetup with_slots(std::int64_t host, std::int64_t file, bool prefix_cache = false) {
  return {.num_blocks = 4,
          .prefix_cache = prefix_cache,
          .num_host_slots = host,
          .num_file_slots = file};
}

/// Sequence 1 with 40 tokens that are computed and swapped out.
void swap_out(Rig& rig) {
  EXPECT_EQ(rig.admit(1, text(40)).short_of_blocks, 0);
  rig.publish(1, text(40)).release(1, AfterRelease::swap).ask();
}

TEST(Swap, MovesAllComputedBlocksOutAndBackIn) {
  Rig rig(with_slots(4, 0));
  swap_out(rig);
  ASSERT_EQ(rig.grant.swap_outs.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rig.grant.swap_outs[i].sequence, SequenceId{1});
    EXPECT_EQ(rig.grant.swap_outs[i].block, BlockId{i});
    EXPECT_EQ(rig.grant.swap_outs[i].slot, i);
  }
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 3);
  EXPECT_EQ(rig.cache.stats().blocks_free, 4);
  const auto grant = rig.admit(1, text(41));
  EXPECT_EQ(grant.num_cached_tokens, 40);
  ASSERT_EQ(rig.grant.swap_ins.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rig.grant.swap_ins[i].block, grant.new_blocks[i]);
    EXPECT_EQ(rig.grant.swap_ins[i].slot, i);
  }
  const auto stats = rig.cache.stats();
  EXPECT_EQ(stats.swap_slots_used, 0);
  EXPECT_EQ(stats.swapped_out_blocks, 3);
  EXPECT_EQ(stats.swapped_in_blocks, 3);
}

TEST(Swap, FillsTheHostTierBeforeTheFileTier) {
  Rig rig(with_slots(2, 5));
  swap_out(rig);
  std::vector<std::uint32_t> slots;
  for (const auto& swap : rig.grant.swap_outs)
    slots.push_back(swap.slot);
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(rig.cache.stats().swap_slots_total, 7);
}

// D37
TEST(Swap, WithoutRoomInBothTiersNothingMoves) {
  Rig rig(with_slots(1, 1));
  swap_out(rig);
  EXPECT_TRUE(rig.grant.swap_outs.empty());
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 0);
  EXPECT_EQ(rig.admit(1, text(41)).num_cached_tokens, 0);
}

// D37
TEST(Swap, BlocksThatAreStillCachedAreSharedAndOnlyTheOthersComeIn) {
  Rig rig(with_slots(4, 0, true));
  swap_out(rig);
  EXPECT_EQ(rig.cache.stats().blocks_cached, 3);
  rig.compute(2, text(32, 5000));  // takes the free one and evicts the tail of 1
  const auto grant = rig.admit(1, text(41));
  EXPECT_EQ(grant.num_cached_tokens, 40);
  EXPECT_EQ(grant.new_blocks[0], BlockId{0});
  EXPECT_EQ(grant.new_blocks[1], BlockId{1});
  ASSERT_EQ(rig.grant.swap_ins.size(), 1u);
  EXPECT_EQ(rig.grant.swap_ins[0].slot, 2u);
  EXPECT_EQ(rig.grant.swap_ins[0].block, grant.new_blocks[2]);
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 0);
}

TEST(Swap, NothingComesInWhenTheIndexHasItAll) {
  Rig rig(with_slots(4, 0, true));
  swap_out(rig);
  EXPECT_EQ(rig.admit(1, text(41)).num_cached_tokens, 40);
  EXPECT_TRUE(rig.grant.swap_ins.empty());
  EXPECT_EQ(rig.grant.copies.size(), 1u);
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 0);
}

TEST(Swap, ASequenceThatFindsNoRoomKeepsItsSlots) {
  Rig rig(with_slots(4, 0));
  swap_out(rig);
  rig.first(2, text(30));
  rig.first(1, text(41));
  const auto& grant = rig.ask();
  EXPECT_EQ(grant.grants[1].short_of_blocks, 1);
  EXPECT_TRUE(grant.swap_ins.empty());
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 3);
}

TEST(Swap, SlotsAreFreedWhenTheSequenceEndsElsewhere) {
  for (const auto after : {AfterRelease::share, AfterRelease::forget}) {
    Rig rig(with_slots(4, 0, true));
    swap_out(rig);
    rig.release(1, AfterRelease::swap).ask();  // it is swapped already
    EXPECT_EQ(rig.cache.stats().swap_slots_used, 3);
    rig.release(1, after).ask();
    EXPECT_EQ(rig.cache.stats().swap_slots_used, 0);
    EXPECT_EQ(rig.cache.stats().blocks_cached, after == AfterRelease::share ? 3 : 0);
  }
}

TEST(Swap, SlotsAreFreedOnReset) {
  Rig rig(with_slots(4, 0));
  swap_out(rig);
  rig.cache.reset();
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 0);
  EXPECT_EQ(rig.admit(1, text(41)).num_cached_tokens, 0);
}

TEST(Swap, WhatAFailedStepShouldHaveWrittenIsDropped) {
  Rig rig(with_slots(4, 0));
  swap_out(rig);
  rig.request.last_step_failed = true;
  EXPECT_EQ(rig.admit(1, text(41)).num_cached_tokens, 0);
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 0);
}

TEST(Swap, WhatAFailedStepShouldHaveReadIsNotTrusted) {
  Rig rig(with_slots(4, 0, true));
  rig.admit(1, text(40));
  rig.publish(1, text(40)).release(1, AfterRelease::swap).ask();
  rig.compute(2, text(64, 5000));  // evicts all of 1
  EXPECT_EQ(rig.admit(1, text(41)).num_cached_tokens, 40);
  rig.request.last_step_failed = true;
  rig.publish(1, text(41)).release(1, AfterRelease::swap).ask();
  EXPECT_TRUE(rig.grant.swap_outs.empty());
  EXPECT_EQ(rig.admit(1, text(41)).num_cached_tokens, 0);
}

TEST(Swap, AnEarlierFailureDoesNotTouchLaterSteps) {
  Rig rig(with_slots(4, 0));
  swap_out(rig);
  rig.ask();
  rig.request.last_step_failed = true;  // of the step after the swap
  EXPECT_EQ(rig.admit(1, text(41)).num_cached_tokens, 40);
}

TEST(Swap, ComesBackOnlyAsFarAsTheTokensAgreeAndTheWantAllows) {
  Rig rig(with_slots(4, 0));
  swap_out(rig);
  EXPECT_EQ(rig.admit(1, text(20) + text(20, 5000)).num_cached_tokens, 20);
  EXPECT_EQ(rig.grant.swap_ins.size(), 2u);
  rig.release(1).ask();
  swap_out(rig);
  rig.first(1, text(41)).max_cached_tokens = 0;
  EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 0);
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 0);
}

TEST(Swap, SharedBlocksAreSavedForEachOfTheirOwners) {
  Rig rig({.num_blocks = 8, .prefix_cache = false, .num_host_slots = 8});
  rig.admit(1, text(32));
  rig.publish(1, text(32)).ask();
  rig.first(2, text(33)).fork_of = SequenceId{1};
  rig.ask();
  rig.publish(2, text(33));
  rig.release(1, AfterRelease::swap).release(2, AfterRelease::swap).ask();
  EXPECT_EQ(rig.cache.stats().swap_slots_used, 5);
  rig.first(1, text(33));
  rig.first(2, text(34));
  EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 32);
  EXPECT_EQ(rig.grant.grants[1].num_cached_tokens, 33);
  EXPECT_EQ(rig.grant.swap_ins.size(), 5u);
}

}  // namespace
}  // namespace troupe::paged
