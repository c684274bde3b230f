#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::value_of;

const Value::Object kVariables = {
    {"s", "Hello, Wörld ß"},
    {"l", Value::Array{3, 1, 2}},
    {"d", Value::Object{{"b", 1}, {"a", Value::Array{1, "x", nullptr, true, 2.5}}}},
    {"nothing", nullptr},
    {"messages", Value::Array{Value::Object{{"role", "user"}, {"n", 2}},
                              Value::Object{{"role", "tool"}, {"n", 1}}}},
};

std::string eval(std::string_view expression) {
  return value_of(expression, kVariables);
}

TEST(StringFilters, ConvertTexts) {
  EXPECT_EQ(eval("s|upper"), "HELLO, WÖRLD SS");
  EXPECT_EQ(eval("'ÄB'|lower"), "äb");
  EXPECT_EQ(eval("'foo bar-baz don\\'t'|title"), "Foo Bar-Baz Don't");
  EXPECT_EQ(eval("'éA'|capitalize"), "Éa");
  EXPECT_EQ(eval("['xxaxx'|trim('x'), '\\u00a0 a \\n'|trim]"), "['a', 'a']");
  EXPECT_EQ(eval("['aaa'|replace('a', 'b', 2), 'ab'|replace('', '-')]"), "['bba', '-a-b-']");
  EXPECT_EQ(eval("[1|string, none|string, l|string, missing|string]"),
            "['1', 'None', '[3, 1, 2]', '']");
  EXPECT_EQ(eval("['%s-%d'|format('a', 1), '%(x)s'|format(x=2), 'a b  c'|wordcount]"),
            "['a-1', '2', 3]");
}

TEST(LayoutFilters, ArrangeTexts) {
  EXPECT_EQ(eval("'a\\nb\\n\\nc'|indent"), "a\n    b\n\n    c");
  EXPECT_EQ(eval("'a\\nb\\n\\nc'|indent(2, true, true)"), "  a\n  b\n  \n  c");
  EXPECT_EQ(eval("'a\\nb\\n'|indent('> ')"), "a\n> b\n");
  EXPECT_EQ(eval("'[' ~ 'abc'|center(8) ~ ']'"), "[  abc   ]");
  EXPECT_EQ(eval("'abc def ghi jkl'|truncate(9)"), "abc...");
  EXPECT_EQ(eval("'abcdefghij'|truncate(5, true, '..', 0)"), "abc..");
}

TEST(NumberFilters, ConvertNumbers) {
  EXPECT_EQ(
      eval("['3.7'|int, 'x'|int, 'x'|int(5), '0x1F'|int(0, 16), ' 42 '|int, 3.9|int, none|int]"),
      "[3, 0, 5, 31, 42, 3, 0]");
  EXPECT_EQ(eval("['3.5'|float, 'x'|float, '1e3'|float, 2|float]"), "[3.5, 0.0, 1000.0, 2.0]");
  EXPECT_EQ(eval("[2.5|round, 2.567|round(2), 2.1|round(0, 'ceil'), 7|round, -5|abs]"),
            "[2.0, 2.57, 3.0, 7, 5]");
}

TEST(SequenceFilters, ArrangeSequences) {
  EXPECT_EQ(eval("[l|length, s|length, d|count, missing|length]"), "[3, 14, 2, 0]");
  EXPECT_EQ(eval("[l|first, l|last, 'abc'|first, 'abc'|last, d|first]"), "[3, 2, 'a', 'c', 'b']");
  EXPECT_EQ(eval("[]|first is defined"), "False");
  EXPECT_EQ(eval("[l|join, l|join(', '), messages|join('/', attribute='role')]"),
            "['312', '3, 1, 2', 'user/tool']");
  EXPECT_EQ(eval("[l|reverse|list, 'abc'|reverse]"), "[[2, 1, 3], 'cba']");
  EXPECT_EQ(eval("[l|sort, l|sort(reverse=true), ['b', 'A']|sort, ['b', 'A', "
                 "'a']|sort(case_sensitive=true)]"),
            "[[1, 2, 3], [3, 2, 1], ['A', 'b'], ['A', 'a', 'b']]");
  EXPECT_EQ(eval("messages|sort(attribute='n')|map(attribute='n')|list"), "[1, 2]");
  EXPECT_EQ(eval("['a', 'A', 'b']|unique|list"), "['a', 'b']");
  EXPECT_EQ(eval("[l|min, l|max, l|sum, messages|sum(attribute='n')]"), "[1, 3, 6, 3]");
  EXPECT_EQ(eval("l|batch(2, 'x')|list"), "[[3, 1], [2, 'x']]");
}

TEST(SequenceFilters, FailOnWhatTheyCannotCompare) {
  EXPECT_EQ(eval("[1, 'a']|sort"),
            "error: line 1: '<' not supported between instances of 'str' and 'int'");
  EXPECT_EQ(eval("5|length"), "error: line 1: object of type 'int' has no len()");
  EXPECT_EQ(eval("5|list"), "error: line 1: 'int' object is not iterable");
}

TEST(SelectionFilters, KeepAndMapItems) {
  EXPECT_EQ(eval("messages|map(attribute='role')|list"), "['user', 'tool']");
  EXPECT_EQ(eval("messages|map(attribute='zz', default='q')|list"), "['q', 'q']");
  EXPECT_EQ(eval("[' a ']|map('trim')|map('upper')|list"), "['A']");
  EXPECT_EQ(eval("[l|select('odd')|list, l|reject('odd')|list, [0, 1]|select|list]"),
            "[[3, 1], [2], [1]]");
  EXPECT_EQ(eval("messages|selectattr('role', 'equalto', 'user')|map(attribute='n')|list"), "[2]");
  EXPECT_EQ(eval("messages|rejectattr('role', 'in', ['user'])|map(attribute='n')|list"), "[1]");
  EXPECT_EQ(eval("messages|selectattr('zz')|list"), "[]");
  EXPECT_EQ(eval("messages|selectattr('role', 'nope')|list"),
            "error: line 1: No test named 'nope'.");
  EXPECT_EQ(eval("messages|groupby('role')|map('first')|list"), "['tool', 'user']");
}

TEST(SelectionFilters, GiveGeneratorsThatAreTrueAndEndOnce) {
  EXPECT_EQ(eval("'yes' if l|select('gt', 9) else 'no'"), "yes");
  EXPECT_EQ(
      testing::shown("{% set g = [1, 2]|map('string') %}{{ g|first }}{{ g|list }}{{ g|list }}"),
      "1['2'][]");
}

TEST(MappingFilters, ListPairs) {
  EXPECT_EQ(eval("[{'b': 1}|items|list, missing|items|list]"), "[[('b', 1)], []]");
  EXPECT_EQ(eval("{'b': 1, 'A': 2}|dictsort"), "[('A', 2), ('b', 1)]");
  EXPECT_EQ(eval("{'b': 1, 'a': 2}|dictsort(by='value', reverse=true)"), "[('a', 2), ('b', 1)]");
  EXPECT_EQ(eval("l|items"), "error: line 1: Can only get item pairs from a mapping.");
}

TEST(ValueFilters, FillInDefaults) {
  EXPECT_EQ(eval("[missing|default('D'), ''|default('D'), ''|default('D', true), none|d('D')]"),
            "['D', '', 'D', None]");
}

TEST(Filters, NameTheArgumentThatDoesNotFit) {
  EXPECT_EQ(eval("s|upper(1)"), "error: line 1: upper() takes at most 0 arguments (1 given)");
  EXPECT_EQ(eval("s|replace('a')"), "error: line 1: replace() missing a required argument: 'new'");
  EXPECT_EQ(eval("s|trim(x=1)"), "error: line 1: trim() got an unexpected keyword argument 'x'");
  EXPECT_EQ(eval("s|trim('x', chars='y')"),
            "error: line 1: trim() got multiple values for argument 'chars'");
  EXPECT_EQ(eval("s|center('x')"),
            "error: line 1: 'str' object cannot be interpreted as an integer");
}

TEST(Filters, StandOnceInTheirTables) {
  std::string names;
  for (const auto table :
       {string_filters(), text_layout_filters(), number_filters(), sequence_filters(),
        selection_filters(), mapping_filters(), value_filters()})
    for (const Builtin& builtin : table) {
      EXPECT_EQ(find_filter(builtin.name), &builtin) << builtin.name;
      names += std::string(builtin.name) + " ";
    }
  EXPECT_NE(names.find("tojson"), std::string::npos);
}

}  // namespace
}  // namespace troupe::model::jinja
