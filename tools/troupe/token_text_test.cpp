#include "token_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace troupe::program {
namespace {

using ::testing::HasSubstr;

/// Ten tokens.
struct TenTokens final : TokenTable {
  std::int32_t size() const override { return 10; }
  std::string_view bytes(TokenId id) const override {
    return std::string_view("abcdefghij").substr(static_cast<std::size_t>(id), 1);
  }
  bool is_control(TokenId) const override { return false; }
  std::span<const TokenId> end_of_generation() const override { return {}; }
};

std::string error_of(std::string_view text) {
  const auto ids = parse_ids(text, TenTokens());
  return ids ? "" : ids.error().message();
}

TEST(ParseIds, TakesEveryFormThatIdsAreWrittenIn) {
  const std::vector<TokenId> expected = {3, 1, 9};
  for (const auto* text : {"3 1 9", "3,1,9", " 3\n1\t9\r\n", "3, 1, 9", "[3, 1, 9]", " [3,1,9] ",
                           "{\"ids\": [3, 1, 9], \"tokens\": []}", "{\"token_ids\": [3,1,9]}"}) {
    const auto ids = parse_ids(text, TenTokens());
    ASSERT_TRUE(ids) << text << ": " << ids.error().message();
    EXPECT_EQ(*ids, expected) << text;
  }
}

TEST(ParseIds, TakesNoIdsAtAll) {
  for (const auto* text : {"", " \n", "[]", "{\"ids\": []}"}) {
    const auto ids = parse_ids(text, TenTokens());
    ASSERT_TRUE(ids) << text;
    EXPECT_TRUE(ids->empty());
  }
}

TEST(ParseIds, RefusesIdsOutsideTheVocabulary) {
  for (const auto* text : {"10", "-1", "[10]", "9223372036854775807"})
    EXPECT_THAT(error_of(text), HasSubstr("expected 0 to 9")) << text;
}

TEST(ParseIds, RefusesWhatIsNoNumber) {
  EXPECT_THAT(error_of("1 two"), HasSubstr("found 'two'"));
  EXPECT_THAT(error_of("1.5"), HasSubstr("found '1.5'"));
  EXPECT_THAT(error_of("18446744073709551617"), HasSubstr("found '18446744073709551617'"));
  EXPECT_THAT(error_of("[\"1\"]"), HasSubstr("found \"1\""));
  EXPECT_THAT(error_of("{\"text\": 1}"), HasSubstr("type object"));
}

TEST(TokenText, OfAnotherTableThanAModelsIsItsBytes) {
  EXPECT_EQ(token_text(TenTokens(), 2), "c");
}

}  // namespace
}  // namespace troupe::program
