#include "troupe/model/jinja/clock_format.h"
#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace troupe::model::jinja {
namespace {

using testing::value_of;

TEST(Functions, CountRanges) {
  EXPECT_EQ(value_of("[range(3)|list, range(1, 10, 4)|list, range(5, 0, -2)|list, range(0)|list]"),
            "[[0, 1, 2], [1, 5, 9], [5, 3, 1], []]");
  EXPECT_EQ(value_of("range(-9223372036854775807, 9223372036854775807, 9223372036854775807)|list"),
            "[-9223372036854775807, 0]");
  EXPECT_EQ(value_of("range(1, 2, 0)"), "error: line 1: range() arg 3 must not be zero");
  EXPECT_EQ(value_of("range('a')"),
            "error: line 1: 'str' object cannot be interpreted as an integer");
}

TEST(Functions, BuildDictsAndNamespaces) {
  EXPECT_EQ(value_of("dict([('a', 1)], b=2)"), "{'a': 1, 'b': 2}");
  EXPECT_EQ(value_of("dict({'a': 1})"), "{'a': 1}");
  EXPECT_EQ(value_of("namespace(a=1).a"), "1");
  EXPECT_EQ(value_of("dict([1])"), "error: line 1: 'int' object is not iterable");
}

TEST(Functions, RaiseTheTextOfTheTemplateAndNothingElse) {
  EXPECT_EQ(value_of("raise_exception('Roles must ' ~ 'alternate!')"),
            "error: Roles must alternate!");
}

TEST(Functions, ShowTheTimeOfTheCaller) {
  EXPECT_EQ(value_of("strftime_now('%Y-%m-%d %H:%M:%S')"), "2026-01-15 12:00:00");
  EXPECT_EQ(value_of("strftime_now('%d %b %Y, %A %B %j')"), "15 Jan 2026, Thursday January 015");
  EXPECT_EQ(value_of("strftime_now('')"), "");
}

TEST(ClockFormat, KnowsTheCalendar) {
  using namespace std::chrono;
  EXPECT_EQ(*format_time("%F %T %a %j", local_days(year(2024) / February / 29)),
            "2024-02-29 00:00:00 Thu 060");
  EXPECT_EQ(*format_time("%F %T", local_seconds(seconds(-1))), "1969-12-31 23:59:59");
  EXPECT_FALSE(format_time(std::string(2000, 'x'), {}));
}

}  // namespace
}  // namespace troupe::model::jinja
