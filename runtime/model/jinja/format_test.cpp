#include "troupe/model/jinja/format_spec.h"
#include "troupe/model/jinja/percent_format.h"
#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::value_of;

TEST(BraceFormat, FillsFieldsByPositionAndName) {
  EXPECT_EQ(value_of("'{} {} {{}}'.format(1, 'b')"), "1 b {}");
  EXPECT_EQ(value_of("'{1}{0}{1}'.format('a', 'b')"), "bab");
  EXPECT_EQ(value_of("'{a.b[0]} {c!r}'.format(a={'b': [7]}, c='x')"), "7 'x'");
}

TEST(BraceFormat, ObeysFormatSpecs) {
  EXPECT_EQ(value_of("'{:>5}|{:<5}|{:^5}|{:*^7}|{:05d}'.format(1, 2, 3, 'x', -42)"),
            "    1|2    |  3  |***x***|-0042");
  EXPECT_EQ(value_of("'{:.2f} {:,} {:x} {:#X} {:b} {:+d} {:%} {:e} {:.3s}'.format(3.14159, "
                     "1234567, 255, 255, 5, 5, 0.5, 12345.678, 'abcdef')"),
            "3.14 1,234,567 ff 0XFF 101 +5 50.000000% 1.234568e+04 abc");
  EXPECT_EQ(value_of("'{:{}}|'.format('x', 4)"), "x   |");
}

TEST(BraceFormat, RefusesMalformedFormats) {
  EXPECT_EQ(value_of("'{'.format()"), "error: line 1: expected '}' before end of string");
  EXPECT_EQ(value_of("'}'.format()"), "error: line 1: Single '}' encountered in format string");
  EXPECT_EQ(value_of("'{} {}'.format(1)"),
            "error: line 1: Replacement index 1 out of range for positional args tuple");
  EXPECT_EQ(value_of("'{a}'.format()"), "error: line 1: the format names 'a', which was not given");
  EXPECT_EQ(value_of("'{:d}'.format('a')"),
            "error: line 1: Unknown format code 'd' for object of type 'str'");
  EXPECT_EQ(value_of("'{:zz}'.format(1)"), "error: line 1: Invalid format specifier 'zz'");
  EXPECT_EQ(value_of("'{:99999999999999999999}'.format(1)"),
            "error: line 1: a width or precision above 10000 in a format");
}

TEST(PercentFormat, ConvertsAsPythonDoes) {
  EXPECT_EQ(value_of("'%s %d %05.2f %-4s| %4s %x %%' % ('a', 3, 3.14159, 'b', 'c', 255)"),
            "a 3 03.14 b   |    c ff %");
  EXPECT_EQ(value_of("'%(b)s %(b)r' % {'b': 'x'}"), "x 'x'");
  EXPECT_EQ(value_of("'%c%c %i %+d %.2s %g %*d' % (65, 'B', 3.9, 3, 'abc', 0.0001, 4, 7)"),
            "AB 3 +3 ab 0.0001    7");
  EXPECT_EQ(value_of("'%s' % none"), "None");
}

TEST(PercentFormat, CountsItsValues) {
  EXPECT_EQ(value_of("'%s %s' % ('a',)"), "error: line 1: not enough arguments for format string");
  EXPECT_EQ(value_of("'%s' % ('a', 'b')"),
            "error: line 1: not all arguments converted during string formatting");
  EXPECT_EQ(value_of("'%d' % 'a'"), "error: line 1: %d format: a real number is required, not str");
  EXPECT_EQ(value_of("'%(x)s' % 1"), "error: line 1: format requires a mapping");
  EXPECT_EQ(value_of("'%' % 1"), "error: line 1: incomplete format");
  EXPECT_EQ(value_of("'%z' % 1"), "error: line 1: unsupported format character 'z'");
}

}  // namespace
}  // namespace troupe::model::jinja
