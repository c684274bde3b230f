#include "troupe/model/tiny/vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace troupe::model::tiny {
namespace {

std::set<std::string> as_set(const std::vector<std::string>& tokens) {
  return {tokens.begin(), tokens.end()};
}

TEST(TinyVocabulary, HasEachTokenOnceWithItsType) {
  for (const auto& vocabulary : {byte_level_vocabulary(), sentence_piece_vocabulary()}) {
    EXPECT_EQ(as_set(vocabulary.tokens).size(), vocabulary.tokens.size());
    EXPECT_EQ(vocabulary.types.size(), vocabulary.tokens.size());
    EXPECT_GT(vocabulary.tokens.size(), 350u);
    EXPECT_LT(vocabulary.tokens.size(), 600u);
    EXPECT_EQ(vocabulary.tokens[vocabulary.end_of_turn], "<|im_end|>");
    EXPECT_EQ(vocabulary.types[vocabulary.end_of_turn], kTokenTypeControl);
  }
}

TEST(TinyVocabulary, EveryMergeJoinsTokensIntoAToken) {
  const auto vocabulary = byte_level_vocabulary();
  const auto tokens = as_set(vocabulary.tokens);
  EXPECT_EQ(as_set(vocabulary.merges).size(), vocabulary.merges.size());
  for (const auto& merge : vocabulary.merges) {
    const auto space = merge.find(' ');
    ASSERT_NE(space, std::string::npos);
    const auto left = merge.substr(0, space);
    const auto right = merge.substr(space + 1);
    EXPECT_TRUE(tokens.contains(left) && tokens.contains(right) && tokens.contains(left + right))
        << merge;
  }
  EXPECT_EQ(vocabulary.merges.size(), vocabulary.tokens.size() - 3 - 256);
}

TEST(TinyVocabulary, ByteLevelWritesSpacesAndLineBreaksAsGpt2Does) {
  const auto tokens = as_set(byte_level_vocabulary().tokens);
  EXPECT_TRUE(tokens.contains("Ġthe"));
  EXPECT_TRUE(tokens.contains("Ċ"));
  EXPECT_TRUE(tokens.contains("Ã©")) << "the two bytes of é";
}

TEST(TinyVocabulary, SentencePieceHasAllBytesAndFallingScores) {
  const auto vocabulary = sentence_piece_vocabulary();
  EXPECT_EQ(std::ranges::count(vocabulary.types, kTokenTypeByte), 256);
  EXPECT_EQ(vocabulary.tokens[3], "<0x00>");
  EXPECT_EQ(vocabulary.tokens[3 + 255], "<0xFF>");
  ASSERT_EQ(vocabulary.scores.size(), vocabulary.tokens.size());
  for (std::size_t i = 3 + 256 + 2 + 1; i < vocabulary.scores.size(); ++i)
    EXPECT_LT(vocabulary.scores[i], vocabulary.scores[i - 1]);
}

TEST(TinyVocabulary, SentencePieceHasTheBeginningsOfItsPieces) {
  const auto tokens = as_set(sentence_piece_vocabulary().tokens);
  for (const auto* piece : {"▁", "▁t", "▁th", "▁the", "e", "Z", "~", "é"})
    EXPECT_TRUE(tokens.contains(piece)) << piece;
}

}  // namespace
}  // namespace troupe::model::tiny
