#include "troupe/model/jinja/lexer.h"

#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe::model::jinja {
namespace {

using testing::shown;

/// The tokens of an expression as one line: kinds for strings and numbers, texts for the rest.
std::string tokens_of(std::string_view expression) {
  const std::string text = "{{" + std::string(expression) + "}}";
  const SourceText source(text);
  const auto tokens = Lexer(source).tokens();
  if (!tokens) return tokens.error().message();
  std::string line;
  for (std::size_t i = 1; i + 2 < tokens->size(); ++i) {
    const Token& token = (*tokens)[i];
    line += (line.empty() ? "" : " ");
    line += token.kind == TokenKind::string    ? "\"" + token.text + "\""
            : token.kind == TokenKind::integer ? "i" + std::to_string(token.integer)
            : token.kind == TokenKind::real    ? "r" + std::to_string(token.real)
                                               : token.text;
  }
  return line;
}

TEST(Lexer, CutsOperatorsLongestFirst) {
  EXPECT_EQ(tokens_of("a//b**c!=d<=e"), "a // b ** c != d <= e");
  EXPECT_EQ(tokens_of("a-1"), "a - i1");
  EXPECT_EQ(tokens_of("x.y|f(1,)"), "x . y | f ( i1 , )");
}

TEST(Lexer, ReadsNumbersInEveryBase) {
  EXPECT_EQ(tokens_of("1_000 0x1F 0b11 0o17 0"), "i1000 i31 i3 i15 i0");
  EXPECT_EQ(tokens_of("1.5 1e3 2.5e-1"), "r1.500000 r1000.000000 r0.250000");
  EXPECT_EQ(tokens_of("x.0.a"), "x . i0 . a");
}

TEST(Lexer, ReadsPythonsEscapes) {
  EXPECT_EQ(tokens_of(R"('a\n\t\\\'')"), "\"a\n\t\\'\"");
  EXPECT_EQ(tokens_of(R"("\x41\u00e9\U0001F642\101")"), "\"Aé🙂A\"");
  EXPECT_EQ(tokens_of(R"('\q\d')"), "\"\\q\\d\"");
}

TEST(Lexer, RefusesWhatIsNoToken) {
  EXPECT_EQ(tokens_of("'abc"), "1:3: this string does not end: expected '");
  EXPECT_EQ(tokens_of("a ? b"), "1:5: unexpected character '?' inside a tag");
  EXPECT_EQ(tokens_of("(1]"), "1:5: expected ')', found ']'");
  EXPECT_EQ(tokens_of("1)"), "1:4: ')' was never opened");
  EXPECT_EQ(tokens_of("99999999999999999999"),
            "1:3: the number 99999999999999999999 does not fit 64 bits");
  EXPECT_EQ(tokens_of(R"('\ud800')"), "1:3: an escape in this string names no character");
  EXPECT_EQ(tokens_of(R"('\u12')"),
            "1:3: a malformed escape in this string: expected 4 hexadecimal digits");
}

TEST(Lexer, EndsATagOnlyOutsideOfBrackets) {
  EXPECT_EQ(shown("{{ {'a': {'b': 1}}.a.b }}"), "1");
  EXPECT_EQ(shown("{{ '}}' }}{{ \"%}\" }}"), "}}%}");
}

TEST(Lexer, TrimsTheNewlineAfterABlockButNotAfterAValue) {
  EXPECT_EQ(shown("a\n{% if true %}\nb\n{% endif %}\nc"), "a\nb\nc");
  EXPECT_EQ(shown("{{ 1 }}\n{{ 2 }}\n!"), "1\n2\n!");
  EXPECT_EQ(shown("{# c #}\nx"), "x");
}

TEST(Lexer, StripsTheSpaceBeforeABlockThatStartsALine) {
  EXPECT_EQ(shown("a\n  \t{% if true %}b{% endif %}"), "a\nb");
  EXPECT_EQ(shown("  {% if true %}b{% endif %}"), "b");
  EXPECT_EQ(shown("a  {% if true %}b{% endif %}"), "a  b");
  EXPECT_EQ(shown("  {{ 1 }}"), "  1");
  EXPECT_EQ(shown("  {# c #}x"), "x");
}

TEST(Lexer, ObeysTheSignsOfATag) {
  EXPECT_EQ(shown("a \n {%- if true -%} \n b {%- endif %}"), "ab");
  EXPECT_EQ(shown("a \n {{- 1 -}} \n b"), "a1b");
  EXPECT_EQ(shown("  {%+ if true %}b{% endif %}"), "  b");
  EXPECT_EQ(shown("{% if true +%}\nb{% endif %}"), "\nb");
  EXPECT_EQ(shown("a {#- c -#} b"), "ab");
}

TEST(Lexer, LeavesRawBlocksAlone) {
  EXPECT_EQ(shown("{% raw %}{{ x }}{% if %}{# c #}{% endraw %}!"), "{{ x }}{% if %}{# c #}!");
  EXPECT_EQ(shown("a {%- raw -%} b {%- endraw -%} c"), "abc");
  EXPECT_EQ(shown("{% raw %} x"),
            "error: 1:3: this raw block does not end: expected '{% endraw %}'");
}

TEST(Lexer, ReadsEveryKindOfLineEnd) {
  EXPECT_EQ(shown("a\r\nb\rc\nd\n"), "a\nb\nc\nd");
  EXPECT_EQ(shown("a\n\n"), "a\n");
}

TEST(Lexer, CountsColumnsInCharacters) {
  EXPECT_EQ(shown("é🙂\né{{ ? }}"), "error: 2:5: unexpected character '?' inside a tag");
}

}  // namespace
}  // namespace troupe::model::jinja
