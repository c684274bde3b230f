#include "troupe/core/param_check.h"

#include <gtest/gtest.h>

#include <limits>

namespace troupe {
namespace {

constexpr ParamSpec kSpecs[] = {
    {.name = "depth",
     .type = ParamType::integer,
     .default_value = "4",
     .help = "how deep",
     .min = 1,
     .max = 8},
    {.name = "share",
     .type = ParamType::number,
     .default_value = "0.5",
     .help = "how much",
     .min = 0},
    {.name = "mode",
     .type = ParamType::text,
     .default_value = "\"slow\"",
     .help = "how",
     .choices = "slow|quick"},
    {.name = "path", .type = ParamType::text, .default_value = "", .help = "the file to read"},
    {.name = "tags", .type = ParamType::text_list, .default_value = "[]", .help = "labels"},
    {.name = "on", .type = ParamType::boolean, .default_value = "false", .help = "whether"}};

Result<Params> with(std::string_view name, Value value) {
  Value::Object given{{"path", "x"}};
  if (name == "path") given.clear();
  given.emplace_back(std::string(name), std::move(value));
  return complete_params(kSpecs, given);
}

TEST(ParamCheck, FillsInTheDefaults) {
  const auto params = complete_params(kSpecs, {{"path", "x"}}).value();
  EXPECT_EQ(params.get_int("depth"), 4);
  EXPECT_EQ(params.get_number("share"), 0.5);
  EXPECT_EQ(params.get_text("mode"), "slow");
  EXPECT_EQ(params.get_text("path"), "x");
  EXPECT_TRUE(params.get_texts("tags").empty());
  EXPECT_FALSE(params.get_bool("on"));
}

TEST(ParamCheck, AnIntegerServesAsANumberButNotTheOtherWayRound) {
  EXPECT_EQ(with("share", 2)->get_number("share"), 2.0);
  EXPECT_FALSE(with("depth", 2.0));
}

TEST(ParamCheck, RefusesOtherTypes) {
  EXPECT_FALSE(with("depth", "4"));
  EXPECT_FALSE(with("depth", nullptr));
  EXPECT_FALSE(with("on", 1));
  EXPECT_FALSE(with("path", 1));
  EXPECT_FALSE(with("tags", "a"));
  EXPECT_FALSE(with("tags", Value::Array{"a", 1}));
  EXPECT_TRUE(with("tags", Value::Array{"a", "b"}));
}

TEST(ParamCheck, RangesIncludeTheirEndsAndRefuseNan) {
  EXPECT_TRUE(with("depth", 1));
  EXPECT_TRUE(with("depth", 8));
  EXPECT_EQ(with("depth", 9).error().message(), "depth = 9: expected an integer from 1 to 8");
  EXPECT_FALSE(with("depth", 0));
  EXPECT_FALSE(with("share", std::numeric_limits<double>::quiet_NaN()));
}

TEST(ParamCheck, ChoicesAreWholeWords) {
  EXPECT_TRUE(with("mode", "quick"));
  EXPECT_EQ(with("mode", "qui").error().message(), "mode = \"qui\": expected one of slow|quick");
  EXPECT_FALSE(with("mode", ""));
  EXPECT_FALSE(with("mode", "slow|quick"));
}

TEST(ParamCheck, NamesTheNearestParameterAndWhatIsMissing) {
  const auto unknown = with("dept", 1);
  EXPECT_NE(unknown.error().message().find("no such parameter: dept; did you mean 'depth'?"),
            std::string::npos)
      << unknown.error().message();
  EXPECT_EQ(complete_params(kSpecs, {}).error().message(), "path is required: the file to read");
}

TEST(ParamCheck, ADefaultThatIsNoValueIsNamed) {
  constexpr ParamSpec broken{
      .name = "x", .type = ParamType::text, .default_value = "bare", .help = "h"};
  EXPECT_EQ(parse_default(broken).error().message().rfind("x: default: ", 0), 0u);
}

}  // namespace
}  // namespace troupe
