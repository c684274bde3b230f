#include "troupe/core/json.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe {
namespace {

TEST(Json, KeepsTheOrderOfKeysAndTheKindOfNumbers) {
  const std::string text = R"({"b":1,"a":[true,null,1.5,"x"],"c":{"d":-9223372036854775808}})";
  EXPECT_EQ(to_json(parse_json(text).value()), text);
}

TEST(Json, TurnsIntegersBeyond64BitsIntoDoubles) {
  EXPECT_TRUE(parse_json("18446744073709551616").value().is_double());
  EXPECT_TRUE(parse_json("9223372036854775808").value().is_double());
  EXPECT_TRUE(parse_json("9223372036854775807").value().is_int());
}

TEST(Json, NamesLineAndColumnOfASyntaxError) {
  const auto result = parse_json("{\n  \"a\": ,\n}");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(result.error().message().find("2:8"), std::string::npos) << result.error().message();
}

TEST(Json, RefusesAKeyThatStandsTwice) {
  EXPECT_NE(parse_json(R"({"a":1,"a":2})").error().message().find("\"a\""), std::string::npos);
}

TEST(Json, TakesLinearTimeForAnObjectOfManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i)
    text += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  const auto value = parse_json(text + "}").value();
  EXPECT_EQ(value.as_object().size(), 200000u);
  EXPECT_EQ(to_json(value), text + "}");
  EXPECT_FALSE(parse_json(text + ",\"7\":0}"));
}

TEST(Json, RefusesDeepNestingWithoutRecursion) {
  EXPECT_FALSE(parse_json(std::string(100000, '[')));
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')));
}

TEST(Json, RefusesInvalidUtf8AndTrailingText) {
  EXPECT_FALSE(parse_json("\"\xff\""));
  EXPECT_FALSE(parse_json("{} x"));
  EXPECT_FALSE(parse_json(""));
}

TEST(Json, WritesReplacementCharactersForInvalidUtf8) {
  EXPECT_EQ(to_json(Value(std::string("a\xff"))), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace troupe
