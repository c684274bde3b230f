#include "word_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::bpe {
namespace {

using Ids = std::vector<TokenId>;

TEST(WordCache, RemembersAWordExactly) {
  WordCache cache;
  const auto place = WordCache::place("word");
  cache.store(place, "word", Ids{1, 2, 3});
  bool known = false;
  const auto tokens = cache.find(place, "word", known);
  EXPECT_TRUE(known);
  EXPECT_EQ(Ids(tokens.begin(), tokens.end()), (Ids{1, 2, 3}));
  EXPECT_TRUE(cache.find(place, "wore", known).empty());
  EXPECT_FALSE(known);
}

TEST(WordCache, RemembersAWordWithoutTokens) {
  WordCache cache;
  const auto place = WordCache::place("\x04");
  cache.store(place, "\x04", Ids{});
  bool known = false;
  EXPECT_TRUE(cache.find(place, "\x04", known).empty());
  EXPECT_TRUE(known);
}

TEST(WordCache, TakesNoWordThatIsTooLongAndNoListThatIsTooLong) {
  EXPECT_EQ(WordCache::place(std::string(WordCache::kMaxBytes + 1, 'x')), WordCache::kNone);
  EXPECT_EQ(WordCache::place(""), WordCache::kNone);
  WordCache cache;
  const std::string word(WordCache::kMaxBytes, 'x');
  const auto place = WordCache::place(word);
  cache.store(place, word, Ids(WordCache::kMaxTokens + 1, 7));
  bool known = true;
  EXPECT_TRUE(cache.find(place, word, known).empty());
  EXPECT_FALSE(known);
}

TEST(WordCache, ANewWordTakesThePlaceOfAnOldOne) {
  WordCache cache;
  const auto place = WordCache::place("first");
  cache.store(place, "first", Ids{1});
  cache.store(place, "other", Ids{2});
  bool known = false;
  EXPECT_TRUE(cache.find(place, "first", known).empty());
  EXPECT_EQ(cache.find(place, "other", known)[0], 2);
}

}  // namespace
}  // namespace troupe::bpe
