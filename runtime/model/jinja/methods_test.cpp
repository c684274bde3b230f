#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::value_of;

const Value::Object kVariables = {
    {"s", "Hello, Wörld"},
    {"x", "\u00a0 two\n\nlines\t\u00a0 "},
    {"l", Value::Array{3, 1, 3}},
    {"d", Value::Object{{"b", 1}, {"a", 2}}},
};

std::string eval(std::string_view expression) {
  return value_of(expression, kVariables);
}

TEST(StringMethods, StripWhiteSpaceOrSets) {
  EXPECT_EQ(eval("[x.strip(), 'xxaxx'.lstrip('x'), 'xyaxy'.rstrip('yx'), ' a '.strip('')]"),
            "['two\\n\\nlines', 'axx', 'xya', ' a ']");
  EXPECT_EQ(eval("['é日é'.strip('é'), 'é日é'.rstrip('日é')]"), "['日', '']");
}

TEST(StringMethods, SplitAtSeparatorsOrSpace) {
  EXPECT_EQ(
      eval("[s.split('l'), s.split('l', 1), s.rsplit('l', 1), s.split(', ')[-1], ''.split('a'), "
           "''.split()]"),
      "[['He', '', 'o, Wör', 'd'], ['He', 'lo, Wörld'], ['Hello, Wör', 'd'], 'Wörld', [''], []]");
  EXPECT_EQ(eval("[' a  b c '.split(), ' a  b c '.split(none, 1), ' a  b c '.rsplit(none, 1)]"),
            "[['a', 'b', 'c'], ['a', 'b c '], [' a  b', 'c']]");
  EXPECT_EQ(eval("['a\\r\\nb\\n\\nc'.splitlines(), 'a\\nb'.splitlines(true)]"),
            "[['a', 'b', '', 'c'], ['a\\n', 'b']]");
  EXPECT_EQ(eval("[s.partition(', '), s.rpartition('l'), s.partition('zz')]"),
            "[('Hello', ', ', 'Wörld'), ('Hello, Wör', 'l', 'd'), ('Hello, Wörld', '', '')]");
  EXPECT_EQ(eval("s.split('')"), "error: line 1: empty separator");
}

TEST(StringMethods, FindAndReplace) {
  EXPECT_EQ(eval("[s.startswith('He'), s.startswith(('x', 'He')), s.startswith('lo', 3), "
                 "s.endswith('rld'), s.endswith('l', 0, 4)]"),
            "[True, True, True, True, True]");
  EXPECT_EQ(eval("[s.find('d'), s.find('zz'), s.rfind('l'), s.index('W'), s.count('l'), "
                 "s.count(''), s.find('l', 3, -8)]"),
            "[11, -1, 10, 7, 3, 13, 3]");
  EXPECT_EQ(eval("s.index('zz')"), "error: line 1: substring not found");
  EXPECT_EQ(eval("[s.replace('l', 'L', 2), 'aa'.replace('', '.'), 'aaa'.replace('aa', 'b')]"),
            "['HeLLo, Wörld', '.a.a.', 'ba']");
  EXPECT_EQ(eval("['abc'.removeprefix('a'), 'abc'.removesuffix('bc'), 'abc'.removeprefix('x')]"),
            "['bc', 'a', 'abc']");
  EXPECT_EQ(eval("s.startswith(1)"),
            "error: line 1: startswith first arg must be str or a tuple of str, not int");
}

TEST(StringMethods, ChangeCase) {
  EXPECT_EQ(
      eval("['ab c'.upper(), 'ÄB'.lower(), \"don't\".title(), 'aB'.capitalize(), 'aB'.swapcase()]"),
      "['AB C', 'äb', \"Don'T\", 'Ab', 'Ab']");
}

TEST(StringMethods, PadToAWidth) {
  EXPECT_EQ(eval("['ab'.center(5, '*'), 'abc'.center(6), 'é'.ljust(3, '.'), 'a'.rjust(2), "
                 "'-42'.zfill(5), 'a\\tb'.expandtabs(4)]"),
            "['**ab*', ' abc  ', 'é..', ' a', '-0042', 'a   b']");
}

TEST(StringMethods, AskAboutCharacters) {
  EXPECT_EQ(eval("['aé'.isalpha(), '12'.isdigit(), 'a1'.isalnum(), ' \\t'.isspace(), "
                 "'AB'.isupper(), 'ab'.islower(), "
                 "'Ab Cd'.istitle(), 'é'.isascii(), ''.isalpha()]"),
            "[True, True, True, True, True, True, True, False, False]");
}

TEST(StringMethods, JoinOnlyStrings) {
  EXPECT_EQ(eval("[', '.join(['a', 'b']), '-'.join('abc'), ''.join([])]"), "['a, b', 'a-b-c', '']");
  EXPECT_EQ(eval("', '.join([1])"),
            "error: line 1: sequence item 0: expected str instance, int found");
}

TEST(ContainerMethods, ReadListsAndDicts) {
  EXPECT_EQ(
      eval("[l.index(1), l.count(3), l.copy(), d.get('b'), d.get('z'), d.get('z', 5), d.copy()]"),
      "[1, 2, [3, 1, 3], 1, None, 5, {'b': 1, 'a': 2}]");
  EXPECT_EQ(eval("[d.keys()|list, d.values()|list, d.items()|list]"),
            "[['b', 'a'], [1, 2], [('b', 1), ('a', 2)]]");
  EXPECT_EQ(eval("l.index(9)"), "error: line 1: 9 is not in list");
  EXPECT_EQ(eval("d.get([])"), "error: line 1: unhashable type: 'list'");
}

}  // namespace
}  // namespace troupe::model::jinja
