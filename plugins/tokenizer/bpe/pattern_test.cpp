#include "pattern.h"

#include "troupe/core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::bpe {
namespace {

std::optional<Span> find(std::string_view expression, std::string_view subject,
                         std::size_t from = 0) {
  PatternScratch scratch;
  return Pattern::compile(expression).value().find(subject, from, scratch).value();
}

TEST(Pattern, FindsTheLeftmostMatchFromAnOffset) {
  const auto match = find("b+", "abba bb", 4);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->begin, 5u);
  EXPECT_EQ(match->end, 7u);
  EXPECT_FALSE(find("x", "abc"));
}

TEST(Pattern, KnowsUnicodeProperties) {
  EXPECT_EQ(find(R"(\p{N})", "a½")->begin, 1u);
  EXPECT_EQ(find(R"(\p{L}+)", "été!")->end, 5u);
  EXPECT_EQ(find("(?i:'s)", "'ſ")->end, 3u) << "the long s is an s without case";
}

TEST(Pattern, SpellsOutSpacesInsideAndOutsideOfBrackets) {
  EXPECT_EQ(spell_out_spaces(R"(\s+[^\s\p{L}](?!\S))"),
            R"([\t-\r\x{85}\p{Z}]+[^\t-\r\x{85}\p{Z}\p{L}](?![^\t-\r\x{85}\p{Z}]))");
  EXPECT_EQ(spell_out_spaces(R"([\[\]\s]\\s)"), R"([\[\]\t-\r\x{85}\p{Z}]\\s)");
}

TEST(Pattern, TakesExactlyTheWhiteSpaceOfUnicodeForSpaces) {
  const auto pattern = Pattern::compile(R"(\s)").value();
  PatternScratch scratch;
  std::u32string spaces;
  for (char32_t code = 0; code < 0x11000; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    if (pattern.find(text, 0, scratch).value()) spaces.push_back(code);
  }
  EXPECT_EQ(spaces,
            U"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
            U"\u2009\u200A\u2028\u2029\u202F\u205F\u3000");
}

TEST(Pattern, NeverGivesUpOnALongText) {
  const std::string text(1 << 20, 'a');
  for (const auto* expression : {R"(\p{L}+)", R"((?:a|b)*)"}) {
    PatternScratch scratch;
    const auto match = Pattern::compile(expression).value().find(text, 0, scratch);
    ASSERT_TRUE(match) << match.error().message();
    EXPECT_EQ((**match).end, text.size());
  }
}

TEST(Pattern, SaysWhereAnExpressionIsWrong) {
  const auto pattern = Pattern::compile("a(b");
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().message(), "pattern a(b: offset 3: missing closing parenthesis");
}

}  // namespace
}  // namespace troupe::bpe
