#include "sentencepiece_merges.h"

#include "vocabulary_fixture.h"

#include <gtest/gtest.h>

#include <limits>

namespace troupe::bpe {
namespace {

Result<SentencepieceMerges> build(const VocabularyFile& file,
                                  std::shared_ptr<const model::Vocabulary>& keep) {
  keep = model::Vocabulary::read(file).value();
  return build_sentencepiece_merges(file, *keep);
}

std::string error_of(const VocabularyFile& file) {
  std::shared_ptr<const model::Vocabulary> keep;
  const auto built = build(file, keep);
  return built ? std::string() : built.error().message();
}

TEST(SentencepieceMerges, DivideEveryTokenInAllWaysThatAreTokens) {
  SentencepieceFile file;
  file.add_pieces({"ab", "bc", "abc", "a", "b", "c"});
  std::shared_ptr<const model::Vocabulary> keep;
  const auto tables = build(file, keep).value();
  const auto id = [&](std::string_view text) { return tables.pieces.find(text); };
  ASSERT_NE(tables.merges.find(id("a"), id("bc")), nullptr);
  EXPECT_EQ(tables.merges.find(id("a"), id("bc"))->result, id("abc"));
  EXPECT_EQ(tables.merges.find(id("ab"), id("c"))->result, id("abc"));
  EXPECT_LT(tables.merges.find(id("a"), id("b"))->rank, tables.merges.find(id("b"), id("c"))->rank);
  EXPECT_EQ(tables.merges.find(id("b"), id("a")), nullptr);
}

TEST(SentencepieceMerges, EqualScoresHaveEqualRanks) {
  SentencepieceFile file;
  for (const auto* text : {"a", "b", "ab", "ba"})
    file.add(text, model::TokenType::normal, -1);
  std::shared_ptr<const model::Vocabulary> keep;
  const auto tables = build(file, keep).value();
  const TokenId a = tables.pieces.find("a"), b = tables.pieces.find("b");
  EXPECT_EQ(tables.merges.find(a, b)->rank, tables.merges.find(b, a)->rank);
}

TEST(SentencepieceMerges, GiveCharactersThatAreNoTokensIdsPastTheVocabulary) {
  SentencepieceFile file;
  file.add_pieces({"xy"});
  std::shared_ptr<const model::Vocabulary> keep;
  const auto tables = build(file, keep).value();
  EXPECT_EQ(tables.loose_characters, (std::vector<std::string_view>{"x", "y"}));
  EXPECT_EQ(tables.pieces.find("y"), keep->size() + 1);
  EXPECT_NE(tables.merges.find(keep->size(), keep->size() + 1), nullptr);
}

TEST(SentencepieceMerges, KnowWhichBytesMayJoinTheNextWord) {
  std::shared_ptr<const model::Vocabulary> keep;
  SentencepieceFile file;
  file.add_pieces({"▁▁", "▁a", "a", "a▁b", "é▁"});
  const auto tables = build(file, keep).value();
  for (int byte = 0; byte < 256; ++byte)
    EXPECT_EQ(tables.joins_next_word[static_cast<std::size_t>(byte)], byte == 'a' || byte == 0xA9);
}

TEST(SentencepieceMerges, LeaveControlAndByteTokensOut) {
  SentencepieceFile file;
  file.add_pieces({"<", "s", ">", "<s", "0"});
  std::shared_ptr<const model::Vocabulary> keep;
  const auto tables = build(file, keep).value();
  EXPECT_EQ(tables.pieces.find("<s>"), -1);
  EXPECT_EQ(tables.pieces.find("\n"), -1);
}

TEST(SentencepieceMerges, D09RefuseScoresThatDoNotFit) {
  SentencepieceFile file(false);
  file.list<double>("scores").pop_back();
  EXPECT_EQ(error_of(file), "tokenizer.ggml.scores: 2 scores for 3 tokens; expected one each");
  file.remove("scores");
  EXPECT_EQ(error_of(file),
            "tokenizer.ggml.scores: the file has no scores, which SentencePiece BPE needs");
  file.set("scores", std::vector<double>{0, std::numeric_limits<double>::quiet_NaN(), 0});
  EXPECT_EQ(error_of(file), "tokenizer.ggml.scores: score 1 is not a number");
}

TEST(SentencepieceMerges, RefuseATokenSoLongThatDividingItWouldTakeTooLong) {
  SentencepieceFile file(false);
  file.add_pieces({std::string(513, 'x')});
  EXPECT_EQ(error_of(file), "tokenizer.ggml.tokens: token 3 has 513 bytes; expected at most 512");
}

}  // namespace
}  // namespace troupe::bpe
