#include "piece_index.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace troupe::bpe {
namespace {

TEST(PieceIndex, FindsWhatWasAddedAndNothingElse) {
  PieceIndex index(3);
  index.insert("a", 7);
  index.insert("ab", 0);
  index.insert(std::string_view("\0b", 2), 2);
  EXPECT_EQ(index.find("a"), 7);
  EXPECT_EQ(index.find("ab"), 0);
  EXPECT_EQ(index.find(std::string_view("\0b", 2)), 2);
  EXPECT_EQ(index.find("b"), -1);
  EXPECT_EQ(index.find(""), -1);
  EXPECT_EQ(index.find("abc"), -1) << "longer than any text";
}

TEST(PieceIndex, KeepsTheFirstOfEqualTexts) {
  PieceIndex index(2);
  index.insert("same", 4);
  index.insert("same", 5);
  EXPECT_EQ(index.find("same"), 4);
}

TEST(PieceIndex, GrowsPastTheRoomAskedFor) {
  std::deque<std::string> texts;
  PieceIndex index(1);
  for (int i = 0; i < 5000; ++i) {
    texts.push_back("piece " + std::to_string(i));
    index.insert(texts.back(), i);
  }
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(index.find("piece " + std::to_string(i)), i);
}

}  // namespace
}  // namespace troupe::bpe
