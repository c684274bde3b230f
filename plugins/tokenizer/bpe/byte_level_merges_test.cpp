#include "byte_level_merges.h"

#include "vocabulary_fixture.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace troupe::bpe {
namespace {

using model::TokenType;

struct Tables {
  std::shared_ptr<const model::Vocabulary> vocabulary;  // has the texts of the pieces
  PieceIndex pieces;
  Result<MergeTable> merges;
};

Tables read(const VocabularyFile& file) {
  std::shared_ptr<const model::Vocabulary> vocabulary = model::Vocabulary::read(file).value();
  auto pieces = index_pieces(file, *vocabulary).value();
  auto merges = read_merges(file, *vocabulary, pieces);
  return {std::move(vocabulary), std::move(pieces), std::move(merges)};
}

std::string error_of(const VocabularyFile& file) {
  const auto tables = read(file);
  return tables.merges ? std::string() : tables.merges.error().message();
}

TEST(ByteLevelMerges, AreRankedInTheOrderOfTheFile) {
  const ByteLevelFile file("gpt-2", {{"t", "h"}, {" ", "t"}, {" t", "h"}});
  const auto tables = read(file);
  const Merge* first = tables.merges->find('t', 'h');
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->rank, 0u);
  EXPECT_EQ(first->result, 256);
  const Merge* last = tables.merges->find(257, 'h');
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->rank, 2u);
  EXPECT_EQ(last->result, 258);
  EXPECT_EQ(tables.pieces.find(" th"), 258);
}

TEST(ByteLevelMerges, D09RefusesMergesThatNameAbsentTokens) {
  for (const auto& [merge, absent] : {std::pair{"xy a", "xy"}, {"a xy", "xy"}, {"a b", "ab"}}) {
    ByteLevelFile file("gpt-2");
    file.merge("t", "h");
    file.add_merge(merge);
    EXPECT_EQ(error_of(file), "tokenizer.ggml.merges: merge 1 \"" + std::string(merge) +
                                  "\" names \"" + absent +
                                  "\", which is no token of the vocabulary");
  }
}

TEST(ByteLevelMerges, D09RefusesWhatIsNotTwoParts) {
  for (const auto* merge : {"", "a", " a", "a "}) {
    ByteLevelFile file("gpt-2");
    file.add_merge(merge);
    EXPECT_NE(error_of(file).find("is not two parts with a space between"), std::string::npos)
        << '"' << merge << '"';
  }
}

TEST(ByteLevelMerges, D09RefusesAFileWithoutMerges) {
  ByteLevelFile file("gpt-2");
  file.remove("merges");
  EXPECT_EQ(error_of(file),
            "tokenizer.ggml.merges: the file has no merges, which byte-level BPE needs");
}

TEST(ByteLevelMerges, D18LeaveOutMergesThatWouldMakeAControlToken) {
  ByteLevelFile file("gpt-2", {{"<", "s"}});
  file.add("<s>", TokenType::control);
  file.add_merge("<s >");
  const auto tables = read(file);
  ASSERT_TRUE(tables.merges);
  EXPECT_EQ(tables.merges->find(256, '>'), nullptr);
  EXPECT_EQ(tables.pieces.find("<s>"), -1);
}

TEST(ByteLevelMerges, PreferTheTokenOfTheVocabularyToAnAddedOneWithItsText) {
  ByteLevelFile file("gpt-2");
  const TokenId added = file.add("  ", TokenType::user_defined);
  const TokenId merged = file.merge(" ", " ");
  const auto tables = read(file);
  EXPECT_LT(added, merged);
  EXPECT_EQ(tables.pieces.find("  "), merged);
}

}  // namespace
}  // namespace troupe::bpe
