#include "troupe/model/jinja/expressions.h"

#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::value_of;

const Value::Object kVariables = {
    {"n", 42},
    {"s", "Hello, Wörld"},
    {"l", Value::Array{3, 1, 2}},
    {"d", Value::Object{{"b", 1}, {"a", Value::Array{1, "x", nullptr, true, 2.5}}, {"items", 7}}},
    {"nothing", nullptr},
    {"empty", Value::Array{}},
};

std::string eval(std::string_view expression) {
  return value_of(expression, kVariables);
}

TEST(Expressions, ShowValuesAsPythonDoes) {
  EXPECT_EQ(eval("[true, false, none, 1.0, 'a']"), "[True, False, None, 1.0, 'a']");
  EXPECT_EQ(eval("d"), "{'b': 1, 'a': [1, 'x', None, True, 2.5], 'items': 7}");
  EXPECT_EQ(eval("(1,)"), "(1,)");
  EXPECT_EQ(eval("()"), "()");
  EXPECT_EQ(eval("1, 2"), "(1, 2)");
  EXPECT_EQ(eval(R"(["it's", 'q"', "b'\"", 'a\n\\'])"), R"(["it's", 'q"', 'b\'"', 'a\n\\'])");
}

TEST(Expressions, ShowFloatsWithTheFewestDigits) {
  EXPECT_EQ(eval("0.1 + 0.2"), "0.30000000000000004");
  EXPECT_EQ(eval("10 / 5"), "2.0");
  EXPECT_EQ(eval("1e16"), "1e+16");
  EXPECT_EQ(eval("123456789012345.0"), "123456789012345.0");
  EXPECT_EQ(eval("1.5e-7"), "1.5e-07");
  EXPECT_EQ(eval("0.0001"), "0.0001");
  EXPECT_EQ(eval("5e-324"), "5e-324");
  EXPECT_EQ(eval("-0.0"), "-0.0");
}

TEST(Expressions, CalculateAsPythonDoes) {
  EXPECT_EQ(eval("-n // 5"), "-9");
  EXPECT_EQ(eval("-n % 5"), "3");
  EXPECT_EQ(eval("n % -5"), "-3");
  EXPECT_EQ(eval("-7.5 % 2"), "0.5");
  EXPECT_EQ(eval("7.5 // 2"), "3.0");
  EXPECT_EQ(eval("2 ** -1"), "0.5");
  EXPECT_EQ(eval("true + 1"), "2");
  EXPECT_EQ(eval("'ab' * 2 ~ [0] * 2"), "abab[0, 0]");
  EXPECT_EQ(eval("l + [4]"), "[3, 1, 2, 4]");
}

TEST(Expressions, FailOnWhatHasNoResult) {
  EXPECT_EQ(eval("n / 0"), "error: line 1: division by zero");
  EXPECT_EQ(eval("9223372036854775807 + 1"),
            "error: line 1: integer overflow: this template engine calculates with 64 bits");
  EXPECT_EQ(eval("(-9223372036854775807 - 1) // -1"),
            "error: line 1: integer overflow: this template engine calculates with 64 bits");
  EXPECT_EQ(eval("(-9223372036854775807 - 1) % -1"), "0");
  EXPECT_EQ(eval("'a' + 1"), "error: line 1: can only concatenate str (not \"int\") to str");
  EXPECT_EQ(eval("1 + 'a'"), "error: line 1: unsupported operand type(s) for +: 'int' and 'str'");
  EXPECT_EQ(eval("'a' < 1"),
            "error: line 1: '<' not supported between instances of 'str' and 'int'");
  EXPECT_EQ(eval("1 in s"),
            "error: line 1: 'in <string>' requires string as left operand, not int");
  EXPECT_EQ(eval("1 in n"), "error: line 1: argument of type 'int' is not iterable");
}

TEST(Expressions, CompareValuesOfAllTypes) {
  EXPECT_EQ(eval("[n == 42.0, true == 1, '1' == 1, none == false]"), "[True, True, False, False]");
  EXPECT_EQ(eval("[1 < 2 < 3, 1 < 3 < 2, [1, 2] < [1, 3], 'a' < 'b']"),
            "[True, False, True, True]");
  EXPECT_EQ(eval("{'a': 1, 'b': [1]} == {'b': [1.0], 'a': true}"), "True");
  EXPECT_EQ(eval("[1, 2] == (1, 2)"), "False");
  EXPECT_EQ(eval("[3 in l, 9 not in l, 'b' in d, 'ell' in s, 1 in missing]"),
            "[True, True, True, True, False]");
}

TEST(Expressions, GiveTheOperandThatDecided) {
  EXPECT_EQ(eval("[0 or 'x', n and 0, empty or l, not n]"), "['x', 0, [3, 1, 2], False]");
}

TEST(Expressions, LookUpAttributesBeforeItemsAndItemsBeforeAttributes) {
  EXPECT_EQ(eval("d.items()|list|length"), "3");
  EXPECT_EQ(eval("d['items']"), "7");
  EXPECT_EQ(eval("d['keys']()|list"), "['b', 'a', 'items']");
  EXPECT_EQ(eval("l.0"), "3");
  EXPECT_EQ(eval("{1: 'i', true: 'b'}[1.0]"), "b");
}

TEST(Expressions, IndexAndSliceFromBothEnds) {
  EXPECT_EQ(eval("[l[-1], l[::-1], l[1:], l[:-1], l[::2], l[5:], l[-2:]]"),
            "[2, [2, 1, 3], [1, 2], [3, 1], [3, 2], [], [1, 2]]");
  EXPECT_EQ(eval("[s[8], s[-4:], s[::-1], s[1:10:3]]"), "['ö', 'örld', 'dlröW ,olleH', 'eoW']");
  EXPECT_EQ(eval("l[1:2:0]"), "error: line 1: slice step cannot be zero");
  EXPECT_EQ(
      eval(
          "[l[-9223372036854775807 - 1:], l[9223372036854775807:], l[::-9223372036854775807 - 1]]"),
      "[[3, 1, 2], [], [2]]");
}

TEST(Expressions, TreatUndefinedValuesAsJinjaDoes) {
  EXPECT_EQ(eval("missing"), "");
  EXPECT_EQ(eval("missing ~ 'a'"), "a");
  EXPECT_EQ(eval("[missing == nothing.x, missing == 1, missing|length]"), "[True, False, 0]");
  EXPECT_EQ(eval("missing.x"), "error: line 1: 'missing' is undefined");
  EXPECT_EQ(eval("d.x.y"), "error: line 1: 'dict object' has no attribute 'x'");
  EXPECT_EQ(eval("l[9].x"), "error: line 1: list object has no element 9");
  EXPECT_EQ(eval("nothing.x.y"), "error: line 1: 'None' has no attribute 'x'");
  EXPECT_EQ(eval("s.nope()"), "error: line 1: 'str object' has no attribute 'nope'");
  EXPECT_EQ(eval("missing + 1"), "error: line 1: 'missing' is undefined");
  EXPECT_EQ(eval("n()"), "error: line 1: 'int' object is not callable");
  EXPECT_EQ(eval("(n if false) is defined"), "False");
}

TEST(Expressions, RefuseMethodsThatWouldChangeAValue) {
  EXPECT_EQ(eval("l.append(1)"),
            "error: line 1: access to attribute 'append' of 'list' object is unsafe.");
  EXPECT_EQ(eval("d.pop('b')"),
            "error: line 1: access to attribute 'pop' of 'dict' object is unsafe.");
}

TEST(Expressions, UnpackArguments) {
  EXPECT_EQ(eval("'{}{}{x}'.format(*[1, 2], **{'x': 3})"), "123");
  EXPECT_EQ(eval("'{}'.format(**1)"),
            "error: line 1: argument after ** must be a mapping, not int");
}

TEST(Expressions, EscapeOnlyWhatIsAddedToMarkup) {
  EXPECT_EQ(eval("'<' + '>'"), "<>");
  EXPECT_EQ(eval("('<'|safe) + '>'"), "<&gt;");
  EXPECT_EQ(eval("('<'|safe) ~ '>'"), "<>");
  EXPECT_EQ(eval("'<&\"'|escape|escape"), "&lt;&amp;&#34;");
}

}  // namespace
}  // namespace troupe::model::jinja
