#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::value_of;

/// The names of the type tests that a value passes.
std::string types_of(const std::string& expression) {
  std::string names;
  for (const Builtin& test : type_tests())
    if (value_of(expression + " is " + std::string(test.name)) == "True")
      names += (names.empty() ? "" : " ") + std::string(test.name);
  return names;
}

TEST(TypeTests, AgreeWithPythonsTypes) {
  EXPECT_EQ(types_of("missing"), "undefined sequence iterable callable");
  EXPECT_EQ(types_of("none"), "defined none");
  EXPECT_EQ(types_of("true"), "defined boolean true number");
  EXPECT_EQ(types_of("1"), "defined integer number");
  EXPECT_EQ(types_of("1.5"), "defined float number");
  EXPECT_EQ(types_of("'a'"), "defined string sequence iterable");
  EXPECT_EQ(types_of("[]"), "defined sequence iterable");
  EXPECT_EQ(types_of("{}"), "defined mapping sequence iterable");
  EXPECT_EQ(types_of("{}.items()"), "defined iterable");
  EXPECT_EQ(types_of("([]|map('string'))"), "defined iterable");
  EXPECT_EQ(types_of("namespace()"), "defined");
  EXPECT_EQ(types_of("range"), "defined callable");
  EXPECT_EQ(types_of("('<'|e)"), "defined string sequence iterable escaped");
}

TEST(ComparisonTests, CompareWithTheirArgument) {
  EXPECT_EQ(value_of("[1 is eq 1, 1 is ne 1, 1 is lt 2, 1 is le(1), 2 is gt 1, 1 is ge 2, 1 is in "
                     "[1], 1 is sameas 1.0]"),
            "[True, False, True, True, True, False, True, False]");
  EXPECT_EQ(value_of("[4 is even, 4 is odd, 9 is divisibleby 3, 'A' is upper, 'a' is lower, "
                     "'upper' is filter, 'odd' is test]"),
            "[True, False, True, True, True, True, True]");
}

TEST(Tests, TakeArgumentsWithoutParentheses) {
  EXPECT_EQ(value_of("1 is eq 1 and 2 is not eq 3"), "True");
  EXPECT_EQ(value_of("'a' if 1 is eq 1 else 'b'"), "a");
  EXPECT_EQ(value_of("missing is not defined or 0"), "True");
}

}  // namespace
}  // namespace troupe::model::jinja
