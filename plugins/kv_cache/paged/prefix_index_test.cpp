#include "prefix_index.h"

#include "troupe/api/check.h"

#include <gtest/gtest.h>

#include <numeric>

namespace troupe::paged {
namespace {

std::vector<TokenId> text(int num_tokens, TokenId first) {
  std::vector<TokenId> tokens(static_cast<std::size_t>(num_tokens));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

class PrefixIndexTest : public ::testing::Test {
 protected:
  PrefixIndexTest() {
    index.reset(64);
    root = index.enter_root("", "");
  }
  void TearDown() override {
    std::vector<std::uint32_t> users(index.num_roots(), 0);
    ++users[root.root];
    const auto good = index.check(users);
    EXPECT_TRUE(good) << good.error().message();
  }
  PrefixNode put(const PrefixNode& parent, std::uint32_t block,
                 const std::vector<TokenId>& tokens) {
    return index.put(parent, BlockId{block}, tokens, SequenceId{1});
  }

  PrefixIndex index;
  PrefixNode root;
};

TEST_F(PrefixIndexTest, FindsAFullBlockOnlyAfterItsOwnParent) {
  const auto a = put(root, 0, text(16, 100));
  const auto b = put(root, 1, text(16, 200));
  put(a, 2, text(16, 300));
  EXPECT_EQ(index.find(a, text(16, 300))->block, BlockId{2});
  EXPECT_FALSE(index.find(b, text(16, 300)));
  EXPECT_FALSE(index.find(root, text(16, 300)));
}

TEST_F(PrefixIndexTest, ABlockThatGrowsIsFoundByTheTokensItHas) {
  put(root, 0, text(3, 100));
  EXPECT_EQ(index.find_partial(root, text(16, 100)).num_tokens, 3);
  EXPECT_FALSE(index.find(root, text(16, 100)));
  put(root, 0, text(16, 100));
  EXPECT_EQ(index.find(root, text(16, 100))->block, BlockId{0});
  EXPECT_EQ(index.find_partial(root, text(5, 100)).num_tokens, 5);
  EXPECT_EQ(index.size(), 1u);
}

TEST_F(PrefixIndexTest, OfSeveralChildrenTheLongestCommonPartIsTaken) {
  auto near = text(16, 100);
  near[9] = 7;
  auto far = text(16, 100);
  far[2] = 7;
  put(root, 0, near);
  put(root, 1, far);
  const auto found = index.find_partial(root, text(16, 100));
  EXPECT_EQ(found.block, BlockId{0});
  EXPECT_EQ(found.num_tokens, 9);
  EXPECT_EQ(index.find_partial(root, text(16, 99)).num_tokens, 0);
  EXPECT_EQ(index.find_partial(root, {}).num_tokens, 0);
}

TEST_F(PrefixIndexTest, LooksAtTheNewestFewOfManyChildren) {
  for (std::uint32_t block = 0; block < 60; ++block)
    put(root, block, {1, static_cast<TokenId>(1000 + block)});
  EXPECT_EQ(index.find_partial(root, std::vector<TokenId>{1, 1059}).num_tokens, 2);
  EXPECT_EQ(index.find_partial(root, std::vector<TokenId>{1, 1000}).num_tokens, 1);
}

TEST_F(PrefixIndexTest, ChildrenOfABlockThatLeftAreNeverFoundAgain) {
  const auto a = put(root, 0, text(16, 100));
  put(a, 1, text(16, 200));
  index.remove(BlockId{0});
  EXPECT_FALSE(index.is_alive(a));
  const auto again = put(root, 0, text(16, 100));  // the same text in the same block
  EXPECT_FALSE(index.find(again, text(16, 200)));
  EXPECT_EQ(index.find_partial(again, text(16, 200)).num_tokens, 0);
  EXPECT_TRUE(index.contains(BlockId{1}));
}

TEST_F(PrefixIndexTest, PutUnderAnotherParentABlockMoves) {
  const auto a = put(root, 0, text(16, 100));
  put(a, 1, text(16, 200));
  put(root, 1, text(16, 200));
  EXPECT_FALSE(index.find(a, text(16, 200)));
  EXPECT_EQ(index.find(root, text(16, 200))->block, BlockId{1});
}

TEST_F(PrefixIndexTest, KnowsTheWayBackToTheRoot) {
  const auto a = put(root, 0, text(16, 100));
  const auto b = put(a, 1, text(16, 200));
  EXPECT_EQ(index.parent_of(b)->id, a.id);
  EXPECT_EQ(index.parent_of(a)->block, kNoBlock);
  index.remove(BlockId{0});
  EXPECT_FALSE(index.parent_of(b));
}

TEST_F(PrefixIndexTest, ARootGoesWithItsLastUserAndBlock) {
  const auto other = index.enter_root("salt", "");
  put(other, 5, text(4, 100));
  index.leave_root(other);
  EXPECT_TRUE(index.find_root("salt", ""));
  index.remove(BlockId{5});
  EXPECT_FALSE(index.find_root("salt", ""));
  EXPECT_FALSE(index.is_alive(other));
  EXPECT_NE(index.enter_root("salt", "").id, other.id);
  index.leave_root(*index.find_root("salt", ""));
}

TEST_F(PrefixIndexTest, ItsCheckFindsAUserTooMany) {
  std::vector<std::uint32_t> users(index.num_roots(), 0);
  users[root.root] = 2;
  EXPECT_EQ(index.check(users).error().message(), "prefix root 0: 1 users in the books, 2 counted");
}

TEST(PrefixHash, EachSecretGivesOtherHashes) {
  const auto a = make_keyed_hash();
  const auto b = make_keyed_hash();
  const auto tokens = text(16, 100);
  EXPECT_EQ(chain_hash(a, {}, tokens), chain_hash(a, {}, tokens));
  EXPECT_NE(chain_hash(a, {}, tokens), chain_hash(b, {}, tokens));
  EXPECT_NE(chain_hash(a, {}, tokens), chain_hash(a, {1, 0}, tokens));
}

TEST(PrefixHash, NoSaltLooksLikeAnAdapter) {
  std::string a, b;
  EXPECT_NE(root_key("x", "", a), root_key("", "x", b));
  EXPECT_NE(root_key("xadapter", "", a), root_key("x", "adapter", b));
}

}  // namespace
}  // namespace troupe::paged
