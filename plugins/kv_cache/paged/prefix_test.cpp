#include "test_rig.h"

#include <tuple>

namespace troupe::paged {
namespace {

TEST(PrefixCache, ARepeatedPromptComputesOnlyItsLastToken) {
  Rig rig;
  rig.compute(1, text(32));
  const auto grant = rig.admit(2, text(32));
  EXPECT_EQ(grant.num_cached_tokens, 31);
  // The second block will be written at its last position: it is a copy.
  EXPECT_EQ(grant.new_blocks, blocks({0, 2}));
  ASSERT_EQ(rig.grant.copies.size(), 1u);
  EXPECT_EQ(rig.grant.copies[0].from, BlockId{1});
  EXPECT_EQ(rig.grant.copies[0].to, BlockId{2});
}

// D34
TEST(PrefixCache, AnotherSuffixSharesTheFullBlocksAndCopiesTheCommonPartOfTheNext) {
  Rig rig;
  rig.compute(1, text(40));
  const auto grant = rig.admit(2, text(37) + text(20, 5000));
  EXPECT_EQ(grant.num_cached_tokens, 37);
  EXPECT_EQ(grant.new_blocks, blocks({0, 1, 3, 4}));
  ASSERT_EQ(rig.grant.copies.size(), 1u);
  EXPECT_EQ(rig.grant.copies[0].from, BlockId{2});
  EXPECT_EQ(rig.grant.copies[0].to, BlockId{3});
}

TEST(PrefixCache, AnExactMultipleOfTheBlockSizeIsSharedWithoutACopy) {
  Rig rig;
  rig.compute(1, text(32));
  EXPECT_EQ(rig.admit(2, text(33)).num_cached_tokens, 32);
  EXPECT_TRUE(rig.grant.copies.empty());
}

TEST(PrefixCache, ASequenceThatRunsSharesWhatItHasPublished) {
  Rig rig;
  rig.admit(1, text(20));
  rig.first(2, text(30));
  rig.publish(1, text(20)).ask();
  EXPECT_EQ(rig.grant.grants[0].num_cached_tokens, 20);
  EXPECT_EQ(rig.grant.grants[0].new_blocks, blocks({0, 2}));
  ASSERT_EQ(rig.grant.copies.size(), 1u);
  EXPECT_EQ(rig.grant.copies[0].from, BlockId{1});  // its last block, which it goes on writing
}

TEST(PrefixCache, GivesNothingThatIsNotPublished) {
  Rig rig;
  rig.admit(1, text(64));
  EXPECT_EQ(rig.admit(2, text(64)).num_cached_tokens, 0);
  rig.release(1).release(2).ask();
  EXPECT_EQ(rig.cache.stats().blocks_cached, 0);
  EXPECT_EQ(rig.admit(3, text(64)).num_cached_tokens, 0);
}

TEST(PrefixCache, TakesNoMoreThanTheWantAllows) {
  Rig rig;
  rig.compute(1, text(48));
  rig.first(2, text(48)).max_cached_tokens = 0;
  EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 0);
  EXPECT_EQ(rig.cache.stats().lookups, 1);  // of the first sequence only
  rig.release(2).ask();
  rig.first(3, text(48)).max_cached_tokens = 20;
  EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 20);
  EXPECT_EQ(rig.grant.copies.size(), 1u);
}

TEST(PrefixCache, AChunkedPromptGetsItsWholeMatchThoughItAsksForLess) {
  Rig rig;
  rig.compute(1, text(64));
  rig.first(2, text(64)).num_tokens = 8;
  EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 63);
  EXPECT_EQ(rig.grant.grants[0].new_blocks.size(), 4u);
}

// D36
TEST(PrefixCache, RecycledBlocksLeaveTheIndex) {
  Rig rig({.num_blocks = 3});
  rig.compute(1, text(48));
  rig.compute(2, text(48, 5000));
  EXPECT_EQ(rig.cache.stats().evictions, 3);
  EXPECT_EQ(rig.admit(3, text(48)).num_cached_tokens, 0);
}

// D36
TEST(PrefixCache, WhatIsMatchedIsHeldBeforeAnythingElseIsTaken) {
  Rig rig({.num_blocks = 4});
  rig.compute(1, text(32));
  rig.compute(2, text(32, 5000));
  const auto grant = rig.admit(3, text(32) + text(32, 9000));
  EXPECT_EQ(grant.num_cached_tokens, 32);
  EXPECT_EQ(grant.new_blocks, blocks({0, 1, 3, 2}));  // evicts the other text, tail first
  rig.release(3).ask();
  EXPECT_EQ(rig.admit(4, text(32) + text(33, 9500)).short_of_blocks, 1);
}

// D36
TEST(PrefixCache, AHitRefreshesRecency) {
  Rig rig({.num_blocks = 3});
  rig.compute(1, text(16));
  rig.compute(2, text(16, 5000));
  rig.compute(3, text(17));        // touches the first text
  rig.compute(4, text(32, 9000));  // evicts the tail of 3 and the second text
  EXPECT_EQ(rig.cache.stats().evictions, 2);
  EXPECT_EQ(rig.admit(5, text(17)).num_cached_tokens, 16);
}

TEST(PrefixCache, EvictsTheTailOfATextBeforeItsHead) {
  Rig rig({.num_blocks = 4});
  rig.compute(1, text(64));
  rig.compute(2, text(32, 5000));
  EXPECT_EQ(rig.admit(3, text(48)).num_cached_tokens, 32);
}

TEST(PrefixCache, ACopiedBlockMayBeEvictedForTheVerySequenceThatCopiesIt) {
  Rig rig({.num_blocks = 1});
  rig.compute(1, text(10));
  const auto grant = rig.admit(2, text(12));
  EXPECT_EQ(grant.num_cached_tokens, 10);
  EXPECT_EQ(grant.new_blocks, blocks({0}));
  EXPECT_TRUE(rig.grant.copies.empty());  // it is there already
}

// D35
TEST(PrefixCache, EqualHashesAreNotTakenForEqualText) {
  for (const std::uint64_t mask : {0u, 255u}) {
    const auto keyed = make_keyed_hash();
    const auto hash = [=](std::span<const std::byte> bytes) {
      return Hash128{keyed(bytes).low & mask, 0};
    };
    Rig rig({.num_blocks = 64, .hash = hash});
    // One text ends as the other does: equal tokens after another parent.
    rig.compute(1, text(16) + text(16, 7000));
    rig.compute(2, text(16, 5000) + text(16, 7000));
    EXPECT_EQ(rig.admit(3, text(16, 5000) + text(17, 7000)).new_blocks, blocks({2, 3, 4}));
    EXPECT_EQ(rig.admit(4, text(16) + text(17, 7000)).new_blocks, blocks({0, 1, 5}));
    EXPECT_EQ(rig.admit(5, text(40, 7000)).num_cached_tokens, 0);
    rig.first(6, text(40)).cache_salt = "other";
    EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 0);
  }
}

// D39
TEST(PrefixCache, SaltsAndAdaptersDoNotShareByAccident) {
  using Key = std::pair<std::string, std::string>;
  const std::string kilobytes(10240, 's');
  const std::vector<Key> keys = {{"", ""},          {"a", ""},        {"", "a"},
                                 {"a", "a"},        {"aadapter", ""}, {std::string("a\0b", 3), ""},
                                 {"a\x01\x1f", ""}, {kilobytes, ""},  {kilobytes + "s", ""}};
  Rig rig({.num_blocks = 64});
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    auto& want = rig.first(i, text(40));
    std::tie(want.cache_salt, want.adapter) = keys[i];
    EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 0) << i;
    rig.publish(i, text(40)).release(i).ask();
  }
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    auto& want = rig.first(100 + i, text(40));
    std::tie(want.cache_salt, want.adapter) = keys[i];
    EXPECT_EQ(rig.ask().grants[0].num_cached_tokens, 39) << i;
  }
}

TEST(PrefixCache, TextComputedTwiceAtTheSameTimeIsKeptOnce) {
  Rig rig;
  rig.first(1, text(40));
  rig.first(2, text(40));
  rig.ask();
  rig.publish(1, text(40)).publish(2, text(40)).ask();
  rig.release(1).release(2).ask();
  EXPECT_EQ(rig.cache.stats().blocks_cached, 4);  // 2 full ones, and two ends
  EXPECT_EQ(rig.cache.stats().blocks_free, 4);
  EXPECT_EQ(rig.admit(3, text(41)).num_cached_tokens, 40);
}

TEST(PrefixCache, ABlockThatOthersComputedFirstIsNoOlderThanWhatFollowsIt) {
  Rig rig({.num_blocks = 6});
  rig.first(1, text(32));
  rig.first(2, text(48));
  rig.ask();
  rig.publish(1, text(32)).publish(2, text(48)).ask();
  rig.release(1).ask();
  rig.release(2).ask();
  rig.compute(3, text(64, 5000));  // all free ones, and the oldest cached one: the end of 2
  EXPECT_EQ(rig.cache.stats().evictions, 1);
  EXPECT_EQ(rig.admit(4, text(49)).num_cached_tokens, 32);
}

TEST(PrefixCache, ASequenceOutlivesTheBlocksItFollowed) {
  Rig rig({.num_blocks = 5});
  rig.first(1, text(16));
  rig.first(2, text(32));
  rig.ask();
  rig.publish(1, text(16)).publish(2, text(16)).ask();
  rig.release(1).ask();
  rig.compute(3, text(48, 5000));  // evicts the first block of 1, which 2 follows
  EXPECT_GT(rig.cache.stats().evictions, 0);
  rig.publish(2, text(32)).release(2).ask();  // enters its own from the start
  EXPECT_EQ(rig.admit(4, text(33)).num_cached_tokens, 32);
}

TEST(PrefixCache, WhatIsToBeForgottenServesNobody) {
  Rig rig;
  rig.compute(1, text(16));
  rig.admit(2, text(40));
  rig.publish(2, text(40)).release(2, AfterRelease::forget).ask();
  EXPECT_EQ(rig.cache.stats().blocks_cached, 1);  // what the first one computed
  EXPECT_EQ(rig.admit(3, text(40)).num_cached_tokens, 16);
}

TEST(PrefixCache, AForgottenBlockInUseLeavesTheIndexAtOnce) {
  Rig rig;
  rig.admit(1, text(32));
  rig.first(2, text(40));
  rig.publish(1, text(32)).ask();
  rig.release(1, AfterRelease::forget).ask();
  EXPECT_EQ(rig.admit(3, text(40)).num_cached_tokens, 0);
  rig.release(2).release(3).ask();
  EXPECT_EQ(rig.cache.stats().blocks_free, 8);
}

TEST(PrefixCache, AForgottenBlockIsNotEnteredAgainByThoseWhoTookItOver) {
  Rig rig;
  rig.admit(1, text(32));
  rig.first(2, text(40));
  rig.publish(1, text(32)).ask();
  EXPECT_EQ(rig.grant.grants[0].num_cached_tokens, 32);
  rig.release(1, AfterRelease::forget).ask();
  rig.publish(2, text(40)).release(2).ask();
  EXPECT_EQ(rig.cache.stats().blocks_cached, 0);
  EXPECT_EQ(rig.admit(3, text(40)).num_cached_tokens, 0);
}

TEST(PrefixCache, CopiesOfAFailedStepAreNotPublished) {
  Rig rig;
  rig.compute(1, text(24));
  EXPECT_EQ(rig.admit(2, text(40)).num_cached_tokens, 24);
  ASSERT_EQ(rig.grant.copies.size(), 1u);
  rig.request.last_step_failed = true;
  rig.publish(2, text(40)).release(2).ask();
  EXPECT_EQ(rig.admit(3, text(40)).num_cached_tokens, 24);
}

TEST(PrefixCache, SwitchedOffItKeepsNothing) {
  Rig rig({.prefix_cache = false});
  rig.compute(1, text(40));
  EXPECT_EQ(rig.cache.stats().blocks_free, 8);
  EXPECT_EQ(rig.admit(2, text(40)).num_cached_tokens, 0);
  EXPECT_EQ(rig.cache.stats().lookups, 0);
}

TEST(PrefixCache, CountsWhatItFinds) {
  Rig rig;
  rig.compute(1, text(40));
  rig.compute(2, text(40));
  rig.compute(3, text(40, 5000));
  const auto stats = rig.cache.stats();
  EXPECT_EQ(stats.lookups, 3);
  EXPECT_EQ(stats.lookup_tokens, 120);
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.cached_tokens, 39);
  EXPECT_EQ(stats.copied_blocks, 1);
}

TEST(PrefixCache, TheLastBlockMayBeFilledWithoutAsking) {
  Rig rig;
  rig.admit(1, text(20));
  EXPECT_EQ(rig.cache.stats().unused_slots, 12);
  rig.publish(1, text(32)).ask();
  EXPECT_EQ(rig.cache.stats().unused_slots, 0);
  EXPECT_EQ(rig.admit(2, text(33)).num_cached_tokens, 32);
}

TEST(PrefixCache, RefusesToUnpublishOrToPublishWhatHasNoBlock) {
  Rig rig;
  rig.admit(1, text(20));
  rig.publish(1, text(20)).ask();
  rig.publish(1, text(19));
  EXPECT_THROW(rig.ask(), CheckFailure);
  rig.request.clear();
  rig.publish(1, text(33));
  EXPECT_THROW(rig.ask(), CheckFailure);
}

}  // namespace
}  // namespace troupe::paged
