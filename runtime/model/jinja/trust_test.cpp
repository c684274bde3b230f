// What the request brought stays untrusted, whatever a template does with it.
#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::marked;

Value::Object user_says(std::string content) {
  return {
      {"messages", Value::Array{Value::Object{{"role", "user"}, {"content", std::move(content)}}}},
      {"u", "uU"}};
}

std::string of(const std::string& expression) {
  return marked("{{ " + expression + " }}", user_says("x"));
}

TEST(Trust, LiesOnWhatTheTemplateWrote) {
  EXPECT_EQ(marked("<|im_start|>{{ messages[0].content }}<|im_end|>", user_says("hi")),
            "<|im_start|>[hi]<|im_end|>");
  EXPECT_EQ(marked("{{ bos_token + '<|im_start|>' }}{{ messages[0].content }}{{ eos_token }}",
                   user_says("<s>")),
            "<s><|im_start|>[<s>]</s>");
}

TEST(Trust, SurvivesEveryStringOperation) {
  EXPECT_EQ(of("'<' ~ u ~ '>'"), "<[uU]>");
  EXPECT_EQ(of("('<' + u + '>')[1:-1]"), "[uU]");
  EXPECT_EQ(of("('<' + u + '>')[::-1]"), ">[Uu]<");
  EXPECT_EQ(of("'a-b'|replace('-', u)"), "a[uU]b");
  EXPECT_EQ(of("u|replace('u', '<')"), "<[U]");
  EXPECT_EQ(of("(' ' ~ u ~ ' ')|trim"), "[uU]");
  EXPECT_EQ(of("('<' ~ u)|upper ~ ('<' ~ u).title()"), "<[UU]<[Uu]");
  EXPECT_EQ(of("('a,' ~ u).split(',')|join('|')"), "a|[uU]");
  EXPECT_EQ(of("'%s=%5s' % ('k', u)"), "k=[   uU]");
  EXPECT_EQ(of("'{}:{}'.format('k', u)"), "k:[uU]");
  EXPECT_EQ(of("u.join(['<', '>'])"), "<[uU]>");
  EXPECT_EQ(of("u * 2"), "[uUuU]");
  EXPECT_EQ(of("('<' ~ u)|first ~ ('<' ~ u)|last"), "<[U]");
  EXPECT_EQ(of("u|format"), "[uU]");
  EXPECT_EQ(of("('a\\n' ~ u)|indent(2)"), "a[\n  uU]");
  EXPECT_EQ(of("('<' ~ u)|escape"), "&lt;[uU]");
}

TEST(Trust, IsNotGivenToWhatSurroundsValues) {
  EXPECT_EQ(of("{'k': u}|tojson"), "[{\"]k[\": \"uU\"}]");
  EXPECT_EQ(of("['k', u]"), "[[']k[', 'uU']]");
}

TEST(Trust, OfNumbersDependsOnWhereTheyCameFrom) {
  EXPECT_EQ(marked("{% for m in messages %}<|{{ loop.index }}|>{{ 1 + 1 }}{{ n + 1 }}{% endfor %}",
                   {{"messages", Value::Array{Value::Object{}}}, {"n", 7}}),
            "<|1|>2[8]");
}

TEST(Trust, FollowsValuesThroughMacrosAndBlocks) {
  EXPECT_EQ(
      marked(
          "{% macro m(a) %}<{{ a }}>{% endmacro %}{% set q %}{{ m(u) }}!{% endset %}{{ q|upper }}",
          user_says("x")),
      "<[UU]>!");
  EXPECT_EQ(marked("{% filter upper %}a{{ u }}{% endfilter %}", user_says("x")), "A[UU]");
}

TEST(Trust, DoesNotLetALiteralCompleteAMarkerOfTheUser) {
  const auto prompt = marked("{{ messages[0].content }}im_end|>", user_says("a<|"));
  EXPECT_EQ(prompt, "[a<|]im_end|>");
  EXPECT_EQ(marked("<|{{ messages[0].content }}|>", user_says("im_start")), "<|[im_start]|>");
}

TEST(Trust, IsGivenToRolesThatEveryClientMayChoose) {
  const auto role = [](const char* name) {
    return marked("{% for m in messages %}{{ '<|' + m['role'] + '|>' + m['content'] }}{% endfor %}",
                  {{"messages", Value::Array{Value::Object{{"role", name}, {"content", "user"}}}}});
  };
  EXPECT_EQ(role("user"), "<|user|>[user]");
  EXPECT_EQ(role("end"), "<|[end]|>[user]");
  EXPECT_EQ(role("endoftext"), "<|[endoftext]|>[user]");
}

TEST(Trust, IsNeverGivenToTheRequestByAnyFilterOrMethod) {
  const char* kOperations[] = {"x|upper",
                               "x|lower",
                               "x|title",
                               "x|capitalize",
                               "x|trim",
                               "x|string",
                               "x|safe",
                               "x|escape",
                               "x|replace('q', 'z')",
                               "x|indent",
                               "x|center(9)",
                               "x|truncate(3, true, '', 0)",
                               "x|tojson",
                               "x|list|join",
                               "x|reverse",
                               "x|sort|join",
                               "x|unique|join",
                               "x|first",
                               "x|last",
                               "x|min",
                               "[x]|join",
                               "x|batch(2)|map('join')|join",
                               "x|format",
                               "x.strip()",
                               "x.split('b')|join",
                               "x.splitlines()|join",
                               "x.partition('b')|join",
                               "x.center(9)",
                               "x.zfill(9)",
                               "x.expandtabs()",
                               "'%s' % x",
                               "'%r' % x",
                               "'{}'.format(x)",
                               "'{:>9}'.format(x)",
                               "'{0!r}'.format(x)",
                               "x ~ ''",
                               "x + ''",
                               "x[0:2]",
                               "x[::2]",
                               "[x]",
                               "{x: x}",
                               "{x: 1}|items|list",
                               "namespace(a=x).a",
                               "dict(a=x).values()|list",
                               "x.removeprefix('a')",
                               "x.swapcase()",
                               "x.title()",
                               "(x,)|map('upper')|list",
                               "x if true else 1",
                               "x or 1"};
  for (const std::string operation : kOperations) {
    const auto prompt =
        testing::render("{{ " + operation + " }}", testing::input_with({{"x", "abcABC"}}));
    ASSERT_TRUE(prompt) << operation << ": " << prompt.error().message();
    for (const auto& span : prompt->trusted) {
      const auto run = prompt->text.substr(span.begin, span.end - span.begin);
      EXPECT_EQ(run.find_first_of("abcABC"), std::string::npos) << operation << " trusts " << run;
    }
  }
}

}  // namespace
}  // namespace troupe::model::jinja
