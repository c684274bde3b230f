#include "troupe/pipeline/toml_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace troupe::pipeline {
namespace {

SourceNode parse(std::string_view text) {
  Diagnostics diagnostics;
  auto node = parse_toml(text, "t.toml", diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.to_error().message();
  return node.value_or(SourceNode{});
}

std::string fault(std::string_view text) {
  Diagnostics diagnostics;
  parse_toml(text, "t.toml", diagnostics);
  return diagnostics.empty() ? "" : diagnostics.to_error().message();
}

TEST(ParseToml, KeepsTheOrderOfTheText) {
  const auto root = parse("z = 1\na = 2\n[m]\n[b]\n");
  ASSERT_EQ(root.entries.size(), 4u);
  EXPECT_EQ(root.entries[0].key, "z");
  EXPECT_EQ(root.entries[1].key, "a");
  EXPECT_EQ(root.entries[2].key, "m");
  EXPECT_EQ(root.entries[3].key, "b");
}

TEST(ParseToml, KnowsWhereKeysAndValuesAre) {
  const auto root = parse("[operators.x]\n  params = { a = 1,\t bc = \"x\" }\n");
  const auto* x = root.find("operators")->node.find("x");
  EXPECT_EQ(x->where.text(), "t.toml:1:12");
  const auto* bc = x->node.find("params")->node.find("bc");
  EXPECT_EQ(bc->where.text(), "t.toml:2:22");
  EXPECT_EQ(bc->node.where.text(), "t.toml:2:27");
}

TEST(ParseToml, CountsColumnsInCharacters) {
  const auto root = parse("v = { a = \"h\u00e9\u4e16\", b = 1 }");
  EXPECT_EQ(root.find("v")->node.find("b")->where.column, 18u);
}

TEST(ParseToml, TellsWhereATextIsNoToml) {
  EXPECT_TRUE(fault("a = 1\nb = \n").starts_with("t.toml:2:5: not valid TOML, while parsing "))
      << fault("b =");
  EXPECT_TRUE(fault("[a]\n[a]\n").starts_with("t.toml:2:1: not valid TOML, while parsing "))
      << fault("[a]\n[a]");
  EXPECT_TRUE(fault("a = \"\xff\"").starts_with("t.toml:1:")) << fault("a = \"\xff\"");
}

TEST(ParseToml, RefusesDates) {
  EXPECT_EQ(fault("a = 1979-05-27"),
            "t.toml:1:5: a date or time; expected a string, number, boolean, array or table");
}

TEST(ParseToml, RefusesAHugeText) {
  EXPECT_EQ(fault(std::string(kMaxTomlBytes + 1, '#')),
            "t.toml: a file of 1048577 bytes; expected at most 1048576");
}

TEST(ParseTomlValue, ReadsEveryTypeThatParametersHave) {
  EXPECT_EQ(parse_toml_value("0x10").value(), Value(16));
  EXPECT_EQ(parse_toml_value("1_000.5").value(), Value(1000.5));
  EXPECT_EQ(parse_toml_value("true").value(), Value(true));
  EXPECT_EQ(parse_toml_value("'a b'").value(), Value("a b"));
  EXPECT_EQ(parse_toml_value("[\"x\"]").value(), Value(Value::Array{Value("x")}));
}

TEST(ParseTomlValue, RefusesASecondKeyBehindALineBreak) {
  EXPECT_FALSE(parse_toml_value("1\nw = 2"));
  EXPECT_FALSE(parse_toml_value("bare"));
  EXPECT_FALSE(parse_toml_value(""));
}

TEST(ToToml, ReadsBackAsTheSameValue) {
  const Value values[] = {
      Value(true),
      Value(std::numeric_limits<std::int64_t>::min()),
      Value(0.1),
      Value(1e300),
      Value(3.0),
      Value("a\"b\\c\nd\te\x01\x7f \u4e16"),
      Value(Value::Array{Value("a"), Value(Value::Array{})}),
      Value(Value::Object{{"plain", Value(1)}, {"needs quotes", Value("")}, {"", Value(2)}})};
  for (const auto& value : values)
    EXPECT_EQ(parse_toml_value(to_toml(value)).value(), value) << to_toml(value);
}

TEST(ToToml, KeepsFloatsApartFromIntegers) {
  EXPECT_EQ(to_toml(Value(3.0)), "3.0");
  EXPECT_EQ(to_toml(Value(3)), "3");
  EXPECT_EQ(to_toml(Value(HUGE_VAL)), "inf");
}

}  // namespace
}  // namespace troupe::pipeline
