#include "troupe/model/jinja/parser.h"

#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::shown;
using testing::value_of;

std::string fault_of(std::string_view source) {
  const auto parsed = Template::parse(source);
  return parsed ? "no fault" : parsed.error().message();
}

TEST(Parser, BindsOperatorsAsJinjaDoes) {
  EXPECT_EQ(value_of("2 + 3 * 4 - 1"), "13");
  EXPECT_EQ(value_of("2 ** 3 ** 2"), "64");
  EXPECT_EQ(value_of("-2 ** 2"), "4");
  EXPECT_EQ(value_of("1 ~ 2 * 3"), "16");
  EXPECT_EQ(value_of("1 + (2 ~ 3)|int"), "24");
  EXPECT_EQ(value_of("1 + 2 ~ 3"),
            "error: line 1: unsupported operand type(s) for +: 'int' and 'str'");
  EXPECT_EQ(value_of("not true == false"), "True");
  EXPECT_EQ(value_of("-1 | abs"), "1");
  EXPECT_EQ(value_of("'a' + 'b' | upper"), "aB");
  EXPECT_EQ(value_of("1 if 0 else 2 if 0 else 3"), "3");
  EXPECT_EQ(value_of("1 < 2 and 2 < 3 or x.y.z"), "True");
}

TEST(Parser, NamesTheTagThatIsNotClosed) {
  EXPECT_EQ(
      fault_of("a\n{% if x %}b"),
      "2:12: expected {% elif %} or {% else %} or {% endif %} for the 'if' of line 2, found the "
      "end of the template");
  EXPECT_EQ(fault_of("{% for i in x %}{% if y %}{% endfor %}"),
            "1:30: 'endfor' stands where no block is open that it could belong to");
  EXPECT_EQ(
      fault_of("{% macro m() %}"),
      "1:16: expected {% endmacro %} for the 'macro' of line 1, found the end of the template");
}

TEST(Parser, RefusesTemplatesOfOtherLanguages) {
  EXPECT_EQ(fault_of("{{ if .System }}{{ .System }}{{ end }}"),
            "1:4: expected an expression, found the name 'if'");
  EXPECT_EQ(fault_of("{{ .Prompt }}"), "1:4: expected an expression, found '.'");
  EXPECT_EQ(fault_of("{{- range $i, $m := .Messages }}x{{ end }}"),
            "1:11: unexpected character '$' inside a tag");
}

TEST(Parser, SaysWhatItFoundAndExpected) {
  EXPECT_EQ(fault_of("{{ a b }}"), "1:6: expected '}}', found the name 'b'");
  EXPECT_EQ(fault_of("{{ }}"), "1:4: expected an expression, found '}}'");
  EXPECT_EQ(fault_of("{{ 1 + }}"), "1:8: expected an expression, found '}}'");
  EXPECT_EQ(fault_of("{{ x. }}"), "1:7: expected the name of an attribute, found '}}'");
  EXPECT_EQ(fault_of("{% for in x %}{% endfor %}"), "1:11: expected 'in', found the name 'x'");
  EXPECT_EQ(fault_of("{% set x %"), "1:3: this tag does not end: expected '%}'");
  EXPECT_EQ(fault_of("{% set x 1 %}"), "1:10: expected '=' or '%}', found a number");
  EXPECT_EQ(fault_of("{% set none = 1 %}"), "1:8: cannot assign to 'none'");
  EXPECT_EQ(fault_of("{% 5 %}"), "1:4: expected the name of a tag, found a number");
  EXPECT_EQ(fault_of("{{ f(a=1, 2) }}"),
            "1:11: an argument without a name follows one with a name");
  EXPECT_EQ(fault_of("{% call x %}{% endcall %}"), "1:9: expected the call of a macro");
  EXPECT_EQ(fault_of("{% include 'x' %}"),
            "1:4: 'include' is not available: a chat template is one text");
}

TEST(Parser, FindsUnknownFiltersAndTestsAtOnceUnlessAConditionHidesThem) {
  EXPECT_EQ(fault_of("{{ x | nofilter }}"), "1:8: No filter named 'nofilter'.");
  EXPECT_EQ(fault_of("{{ x is notest }}"), "1:9: No test named 'notest'.");
  EXPECT_EQ(shown("{% if false %}{{ x | nofilter }}{% endif %}ok"), "ok");
  EXPECT_EQ(shown("{% if true %}{{ x | nofilter }}{% endif %}"),
            "error: line 1: No filter named 'nofilter'.");
}

TEST(Parser, AllowsJumpsOnlyInsideALoop) {
  EXPECT_EQ(fault_of("{% break %}"), "1:4: 'break' stands outside of a for block");
  EXPECT_EQ(fault_of("{% for i in x %}{% macro m() %}{% continue %}{% endmacro %}{% endfor %}"),
            "1:35: 'continue' stands outside of a for block");
}

TEST(Parser, RefusesNestingThatCouldOverflowTheStack) {
  const auto repeated = [](std::string_view part, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += part;
    return text;
  };
  const int kMany = 100'000;
  for (const auto& source :
       {"{{ " + repeated("(", kMany) + " }}",
        "{{ " + repeated("[", kMany) + "1" + repeated("]", kMany) + " }}",
        "{{ " + repeated("-", kMany) + "1 }}", "{{ " + repeated("not ", kMany) + "1 }}",
        "{{ 1" + repeated(" + 1", kMany) + " }}", "{{ x" + repeated("|trim", kMany) + " }}",
        "{{ x" + repeated(".a", kMany) + " }}", "{{ " + repeated("1 if x else ", kMany) + "2 }}",
        "{{ x" + repeated(" is defined", 2) + " }}", repeated("{% if x %}", kMany),
        repeated("{% for i in x %}", kMany), "{% set " + repeated("(", kMany) + " %}",
        "{{ " + repeated("a and ", kMany) + "a }}", "{{ " + repeated("x(", kMany) + " }}"}) {
    const auto parsed = Template::parse(source);
    ASSERT_FALSE(parsed) << source.substr(0, 40);
    EXPECT_EQ(parsed.error().code(), ErrorCode::invalid_argument);
  }
  EXPECT_EQ(value_of("1" + repeated(" + 1", 300)), "301");
  EXPECT_EQ(value_of("'x'" + repeated(" ~ 'x'", 10'000)).size(), 10'001u);
}

TEST(Parser, RefusesSourcesBeyondItsLimit) {
  EXPECT_EQ(fault_of(std::string((std::size_t{1} << 20) + 1, 'x')),
            "the template has 1048577 bytes; the limit is 1048576");
}

}  // namespace
}  // namespace troupe::model::jinja
