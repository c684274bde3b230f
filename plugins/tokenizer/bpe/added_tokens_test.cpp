#include "added_tokens.h"

#include "vocabulary_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace troupe::bpe {
namespace {

using model::TokenType;

struct Fixture {
  Fixture() : file("gpt-2") {
    end = file.add("<|end|>", TokenType::control);
    end_of = file.add("<|end|>of", TokenType::control);
    call = file.add("<call>", TokenType::user_defined);
    call_long = file.add("<call><call>", TokenType::user_defined);
    spaces = file.add("    ", TokenType::user_defined);
    vocabulary = model::Vocabulary::read(file).value();
  }
  ByteLevelFile file;
  TokenId end, end_of, call, call_long, spaces;
  std::shared_ptr<const model::Vocabulary> vocabulary;
};

using Found = std::vector<std::pair<std::size_t, TokenId>>;

/// Where added tokens are found in the pieces, of which those of odd index are trusted.
Found find_all(const Fixture& fixture, const std::vector<std::string>& pieces) {
  std::string text;
  Trust trust;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    text += pieces[i];
    trust.append(pieces[i].size(), i % 2 == 1);
  }
  const AddedTokens added(*fixture.vocabulary);
  Found found;
  for (std::size_t at = 0;;) {
    const auto match = added.find(text, at, trust);
    if (!match) return found;
    found.emplace_back(match->begin, match->id);
    at = match->end;
  }
}

TEST(AddedTokens, D18ControlTokensAreFoundInTrustedTextOnly) {
  const Fixture f;
  EXPECT_EQ(find_all(f, {"a<|end|>b"}), Found{});
  EXPECT_EQ(find_all(f, {"", "a<|end|>b"}), (Found{{1, f.end}}));
}

TEST(AddedTokens, D18AMarkerIsNotMadeFromTwoTrusts) {
  const Fixture f;
  EXPECT_EQ(find_all(f, {"<|en", "d|>"}), Found{});
  EXPECT_EQ(find_all(f, {"", "<|en", "d|>"}), Found{});
  EXPECT_EQ(find_all(f, {"", "<|en", "", "d|>"}), (Found{{0, f.end}}));
  EXPECT_EQ(find_all(f, {"", "<|end|>", "of"}), (Found{{0, f.end}}))
      << "the longer one is not all trusted";
}

TEST(AddedTokens, UserDefinedTokensAreFoundEverywhere) {
  const Fixture f;
  EXPECT_EQ(find_all(f, {"x<call>y", "<call>"}), (Found{{1, f.call}, {8, f.call}}));
  EXPECT_EQ(find_all(f, {"<ca", "ll>"}), (Found{{0, f.call}}));
  EXPECT_EQ(find_all(f, {"     x"}), (Found{{0, f.spaces}}));
}

TEST(AddedTokens, D04TheLongestOfOverlappingTokensWins) {
  const Fixture f;
  EXPECT_EQ(find_all(f, {"<call><call><call>"}), (Found{{0, f.call_long}, {12, f.call}}));
  EXPECT_EQ(find_all(f, {"", "<|end|>of"}), (Found{{0, f.end_of}}));
}

TEST(AddedTokens, TheLeftmostWinsOverALongerOneFurtherRight) {
  const Fixture f;
  EXPECT_EQ(find_all(f, {"<call<call>"}), (Found{{5, f.call}}));
  EXPECT_EQ(find_all(f, {"", "<|end<|end|>"}), (Found{{5, f.end}}));
}

TEST(AddedTokens, AControlTokenIsNotHadByWayOfAUserDefinedDouble) {
  for (const bool control_first : {true, false}) {
    ByteLevelFile file("gpt-2");
    file.add("<x>", control_first ? TokenType::control : TokenType::user_defined);
    file.add("<x>", control_first ? TokenType::user_defined : TokenType::control);
    const auto vocabulary = model::Vocabulary::read(file).value();
    Trust trust;
    trust.append(3, false);
    EXPECT_FALSE(AddedTokens(*vocabulary).find("<x>", 0, trust));
  }
}

TEST(AddedTokens, IgnoreTokensWithoutText) {
  ByteLevelFile file("gpt-2");
  file.add("", TokenType::control);
  const auto vocabulary = model::Vocabulary::read(file).value();
  Trust trust;
  trust.append(2, true);
  EXPECT_FALSE(AddedTokens(*vocabulary).find("ab", 0, trust));
}

}  // namespace
}  // namespace troupe::bpe
