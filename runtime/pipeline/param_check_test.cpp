#include "troupe/pipeline/param_check.h"

#include "troupe/pipeline/given_values.h"

#include <gtest/gtest.h>

#include <limits>

namespace troupe::pipeline {
namespace {

constexpr ParamSpec kSpecs[] = {
    {"flag", ParamType::boolean, "false", "a switch"},
    {"count", ParamType::integer, "4", "how many", "blocks", 0, 100},
    {"ratio", ParamType::number, "0.5", "a part", "", 0, 1},
    {"mode", ParamType::text, "\"fast\"", "how", "", {}, {}, "fast|exact"},
    {"words", ParamType::text_list, "[]", "some words"},
    {"name", ParamType::text, "", "must be given"},
};

GivenValue given(Value value) {
  return {std::move(value), {"f", 1, 1}, {"f", 1, 5}, kPipelineLayer, std::nullopt};
}

struct Outcome {
  CheckedParams params;
  std::string faults;
};

Outcome check(std::vector<std::pair<std::string, Value>> values,
              std::span<const ParamSpec> specs = kSpecs) {
  GivenTable table{"op", {"f", 1, 1}, {}};
  for (auto& [key, value] : values)
    table.give(key, given(std::move(value)));
  Diagnostics diagnostics;
  const ParamOwner owner{"stage 's'", "parameter", "op.", {"f", 9, 9}};
  Outcome outcome{check_params(specs, table, owner, diagnostics), ""};
  if (!diagnostics.empty()) outcome.faults = diagnostics.to_error().message();
  return outcome;
}

TEST(CheckParams, CompletesWithDefaultsInTheOrderOfDeclaration) {
  const auto outcome = check({{"name", Value("n")}, {"count", Value(7)}});
  EXPECT_EQ(outcome.faults, "");
  const Value::Object expected = {{"flag", Value(false)},
                                  {"count", Value(7)},
                                  {"ratio", Value(0.5)},
                                  {"mode", Value("fast")},
                                  {"words", Value(Value::Array{})},
                                  {"name", Value("n")}};
  EXPECT_EQ(outcome.params.values, expected);
}

TEST(CheckParams, MakesAnIntegerANumberButNoNumberAnInteger) {
  const auto outcome = check({{"name", Value("n")}, {"ratio", Value(1)}, {"count", Value(7.0)}});
  EXPECT_EQ(outcome.params.values[2].second, Value(1.0));
  EXPECT_EQ(outcome.faults,
            "f:1:5: count = 7.0 is a float; expected an integer from 0 to 100 blocks");
}

TEST(CheckParams, AcceptsTheBoundsAndRefusesWhatIsBeyond) {
  EXPECT_EQ(check({{"name", Value("n")}, {"count", Value(0)}}).faults, "");
  EXPECT_EQ(check({{"name", Value("n")}, {"count", Value(100)}}).faults, "");
  EXPECT_NE(check({{"name", Value("n")}, {"count", Value(101)}}).faults, "");
  EXPECT_NE(check({{"name", Value("n")}, {"count", Value(-1)}}).faults, "");
  const auto huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(check({{"name", Value("n")}, {"count", Value(huge)}}).faults, "");
}

TEST(CheckParams, RefusesNumbersThatAreNone) {
  constexpr ParamSpec any[] = {{"x", ParamType::number, "0.0", ""}};
  EXPECT_NE(check({{"x", Value(std::numeric_limits<double>::quiet_NaN())}}, any).faults, "");
  EXPECT_NE(check({{"x", Value(std::numeric_limits<double>::infinity())}}, any).faults, "");
  EXPECT_EQ(check({{"x", Value(-1e308)}}, any).faults, "");
}

TEST(CheckParams, AsksForWhatHasNoDefault) {
  EXPECT_EQ(check({}).faults,
            "f:9:9: stage 's' lacks its parameter 'name'; expected a string: must be given");
}

TEST(CheckParams, TellsEveryFaultAtOnce) {
  const auto outcome = check(
      {{"flag", Value(1)}, {"mode", Value("exct")}, {"word", Value("w")}, {"name", Value(2)}});
  EXPECT_EQ(outcome.faults,
            "f:1:1: unknown parameter 'word' of stage 's'; expected one of flag, count, ratio, "
            "mode, words, name; did you mean 'words'?\n"
            "f:1:5: flag = 1 is an integer; expected true or false\n"
            "f:1:5: mode = \"exct\" is none of its choices; expected \"fast\" or \"exact\"; did "
            "you mean 'exact'?\n"
            "f:1:5: name = 2 is an integer; expected a string");
}

TEST(CheckParams, FindsADefaultThatThePluginGotWrong) {
  constexpr ParamSpec wrong[] = {{"a", ParamType::integer, "oops", ""},
                                 {"b", ParamType::integer, "-1", "", "", 0}};
  EXPECT_EQ(check({}, wrong).faults,
            "the default of stage 's': the default of 'a' is no TOML value; expected an integer\n"
            "the default of stage 's': b = -1 is out of range; expected an integer at least 0");
}

TEST(DescribeValues, NamesTypeRangeAndUnit) {
  EXPECT_EQ(describe_values(kSpecs[0]), "true or false");
  EXPECT_EQ(describe_values(kSpecs[1]), "an integer from 0 to 100 blocks");
  EXPECT_EQ(describe_values(kSpecs[3]), "\"fast\" or \"exact\"");
  EXPECT_EQ(describe_values(kSpecs[4]), "an array of strings");
  EXPECT_EQ(describe_values({"t", ParamType::number, "1", "", "ms", 0.5}),
            "a number at least 0.5 ms");
  EXPECT_EQ(describe_values({"t", ParamType::integer, "1", "", "ms"}), "an integer (ms)");
}

TEST(DescribeRange, IsEmptyWithoutLimits) {
  EXPECT_EQ(describe_range(kSpecs[0]), "");
  EXPECT_EQ(describe_range(kSpecs[1]), "0 to 100");
  EXPECT_EQ(describe_range(kSpecs[3]), "fast | exact");
  EXPECT_EQ(describe_range({"t", ParamType::integer, "1", "", "", -1e300, 9}), "-1e+300 to 9");
}

}  // namespace
}  // namespace troupe::pipeline
