#include "splitter.h"

#include "cpu_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace troupe::bpe {
namespace {

using Pieces = std::vector<std::string>;

Pieces split(std::string_view rule, std::string_view text) {
  Pieces pieces;
  PatternScratch scratch;
  const auto splitter = Splitter::build(*find_split_rule(rule)).value();
  const auto done = splitter.split(text, scratch, [&](std::string_view piece) {
    pieces.emplace_back(piece);
    return true;
  });
  EXPECT_TRUE(done);
  return pieces;
}

Pieces all_names() {
  Pieces names;
  const std::string list = split_rule_names();
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find(", ", at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 2;
  }
  return names;
}

TEST(SplitRules, AreFoundUnderAllTheirNamesAndNoOther) {
  const auto names = all_names();
  EXPECT_GE(names.size(), 40u);
  for (const auto& name : names)
    EXPECT_NE(find_split_rule(name), nullptr) << name;
  EXPECT_EQ(find_split_rule("gpt"), nullptr);
  EXPECT_EQ(find_split_rule(""), nullptr);
  EXPECT_EQ(find_split_rule("gpt-2 phi-2"), nullptr);
}

TEST(SplitRules, NamesAreUnique) {
  const auto names = all_names();
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Splitter, D02TheLastSpaceOfARunJoinsTheWord) {
  for (const auto* rule :
       {"gpt-2", "smollm", "llama-bpe", "qwen2", "gpt-4o", "tekken", "deepseek-v3"}) {
    EXPECT_EQ(split(rule, "x  y"), (Pieces{"x", " ", " y"})) << rule;
    EXPECT_EQ(split(rule, "x   y"), (Pieces{"x", "  ", " y"})) << rule;
    EXPECT_EQ(split(rule, "trailing  "), (Pieces{"trailing", "  "})) << rule;
    EXPECT_EQ(split(rule, "   "), (Pieces{"   "})) << rule;
  }
}

TEST(Splitter, SmollmSplitsEveryCharacterOfANumberOff) {
  EXPECT_EQ(split("smollm", "a 12½Ⅷx"), (Pieces{"a", " ", "1", "2", "½", "Ⅷ", "x"}));
  EXPECT_EQ(split("gpt-2", "a 12½x"), (Pieces{"a", " 12½", "x"}));
}

TEST(Splitter, Gpt2KnowsContractionsInLowerCaseOnly) {
  EXPECT_EQ(split("gpt-2", "I'll DON'T"), (Pieces{"I", "'ll", " DON", "'", "T"}));
  EXPECT_EQ(split("llama-bpe", "I'LL don't"), (Pieces{"I", "'LL", " don", "'t"}));
}

TEST(Splitter, Llama3TakesThreeDigitsQwen2One) {
  EXPECT_EQ(split("llama-bpe", "12345"), (Pieces{"123", "45"}));
  EXPECT_EQ(split("qwen2", "123"), (Pieces{"1", "2", "3"}));
  EXPECT_EQ(split("deepseek-v3", "1234"), (Pieces{"123", "4"}));
}

TEST(Splitter, Llama3KeepsLineEndsWithPunctuationAndSpacesBefore) {
  EXPECT_EQ(split("llama-bpe", "a;\n\n b"), (Pieces{"a", ";\n\n", " b"}));
  EXPECT_EQ(split("llama-bpe", "a \n \nb"), (Pieces{"a", " \n \n", "b"}));
}

TEST(Splitter, Gpt4oSplitsWordsWhereTheCaseRises) {
  EXPECT_EQ(split("gpt-4o", "camelCase HTTPServer"), (Pieces{"camel", "Case", " HTTPServer"}));
  EXPECT_EQ(split("gpt-4o", "He's"), (Pieces{"He's"}));
  EXPECT_EQ(split("tekken", "He's"), (Pieces{"He", "'s"}));
}

TEST(Splitter, DeepseekV3SplitsChineseFromLettersAndKeepsMarksWithTheirLetters) {
  EXPECT_EQ(split("deepseek-v3", "abc日本"), (Pieces{"abc", "日本"}));
  EXPECT_EQ(split("deepseek-v3", "हिन्दी"), (Pieces{"हिन्दी"}));
  EXPECT_EQ(split("deepseek-v3", "(x"), (Pieces{"(x"}));
}

TEST(Splitter, DeepseekLlmAndCoderSplitLineEndsAndScripts) {
  EXPECT_EQ(split("deepseek-coder", "a\r\nb 12"), (Pieces{"a", "\r", "\n", "b", " ", "1", "2"}));
  EXPECT_EQ(split("deepseek-llm", "foo bar\n12"), (Pieces{"foo", " bar", "\n", "12"}));
  EXPECT_EQ(split("deepseek-llm", "x  "), (Pieces{"x", "  "}));
}

TEST(Splitter, KimiSplitsHanFromOtherLetters) {
  EXPECT_EQ(split("kimi-k2", "abc中文Def"), (Pieces{"abc", "中文", "Def"}));
}

TEST(Splitter, FalconSplitsPunctuationAndThreeDigits) {
  EXPECT_EQ(split("falcon", "a,b 1234"), (Pieces{"a", ",", "b", " ", "123", "4"}));
}

TEST(Splitter, BloomTakesWholeWordsWithTheirSpace) {
  EXPECT_EQ(split("bloom", "it's 3D, ok"), (Pieces{"it's", " 3D", ",", " ok"}));
}

TEST(Splitter, LosesNothingUnderAnyRule) {
  const std::vector<std::string> parts = {"word",        "Größe", " ",      "  ", "\n",   "\r\n",
                                          "12",          "½",     "'s",     "!?", "日本", "\u0301",
                                          "👩‍👧", "\t",    "\u180E", "。", "$"};
  std::mt19937 random(1);
  for (const auto& rule : all_names())
    for (int round = 0; round < 50; ++round) {
      std::string text, joined;
      for (int i = 0; i < 12; ++i)
        text += parts[random() % parts.size()];
      for (const auto& piece : split(rule, text)) {
        ASSERT_FALSE(piece.empty());
        joined += piece;
      }
      ASSERT_EQ(joined, text) << rule;
    }
}

TEST(Splitter, D01IsLinearUnderEveryRule) {
  std::set<const SplitRule*> rules;
  for (const auto& name : all_names())
    rules.insert(find_split_rule(name));
  for (const SplitRule* rule : rules) {
    const auto splitter = Splitter::build(*rule).value();
    PatternScratch scratch;
    for (const auto* unit : {"a", " ", "\n", "ab", "世", "\u0301", "A", "1", "'", "\t "}) {
      std::string text;
      while (text.size() < 128 * 1024)
        text += unit;
      std::size_t bytes = 0;
      const auto count = [&](std::string_view piece) {
        bytes += piece.size();
        return true;
      };
      EXPECT_LT(cpu_seconds([&] { EXPECT_TRUE(splitter.split(text, scratch, count)); }), 1)
          << rule->names << " on " << testing::PrintToString(unit);
      EXPECT_EQ(bytes, text.size());
    }
  }
}

TEST(Splitter, StopsWhenThePieceIsRefused) {
  PatternScratch scratch;
  int pieces = 0;
  const auto splitter = Splitter::build(*find_split_rule("smollm")).value();
  EXPECT_TRUE(
      splitter.split("a b c 1 2 3", scratch, [&](std::string_view) { return ++pieces < 3; }));
  EXPECT_EQ(pieces, 3);
}

}  // namespace
}  // namespace troupe::bpe
