#include "troupe/model/jinja/json_text.h"

#include "troupe/model/jinja/rendering_for_tests.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

using testing::value_of;

const Value::Object kVariables = {
    {"d",
     Value::Object{
         {"b", 1}, {"a", Value::Array{1, "x", nullptr, true, 2.5}}, {"e", Value::Array{}}}},
    {"text", "é\"\\\n\t\x01\x7F/<🙂"},
};

std::string eval(std::string_view expression) {
  return value_of(expression, kVariables);
}

TEST(ToJson, WritesAsPythonsDumps) {
  EXPECT_EQ(eval("d|tojson"), R"({"b": 1, "a": [1, "x", null, true, 2.5], "e": []})");
  EXPECT_EQ(eval("d|tojson(separators=(',', ':'))"), R"({"b":1,"a":[1,"x",null,true,2.5],"e":[]})");
  EXPECT_EQ(eval("d|tojson(sort_keys=true)"),
            R"({"a": [1, "x", null, true, 2.5], "b": 1, "e": []})");
  EXPECT_EQ(eval("(1, 2)|tojson"), "[1, 2]");
  EXPECT_EQ(eval("{1: 2, none: 3, true: 4}|tojson"), R"({"1": 4, "null": 3})");
  EXPECT_EQ(eval("[1e20, 0.1, 1.0]|tojson"), "[1e+20, 0.1, 1.0]");
}

TEST(ToJson, IndentsEveryLevel) {
  EXPECT_EQ(eval("{'a': [1, {}], 'b': {'c': []}}|tojson(indent=2)"),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": []\n  }\n}");
  EXPECT_EQ(eval("[1]|tojson(indent='-')"), "[\n-1\n]");
  EXPECT_EQ(eval("[1]|tojson(indent=99999)"), "error: line 1: an indentation above 10000");
}

TEST(ToJson, EscapesOnlyWhatItMust) {
  EXPECT_EQ(eval("text|tojson"), "\"é\\\"\\\\\\n\\t\\u0001\x7F/<🙂\"");
  EXPECT_EQ(eval("text|tojson(ensure_ascii=true)"),
            "\"\\u00e9\\\"\\\\\\n\\t\\u0001\x7F/<\\ud83d\\ude42\"");
}

TEST(ToJson, RefusesWhatJsonLacks) {
  EXPECT_EQ(eval("missing|tojson"),
            "error: line 1: Object of type Undefined is not JSON serializable");
  EXPECT_EQ(eval("[range]|tojson"),
            "error: line 1: Object of type function is not JSON serializable");
}

TEST(ToJson, StopsAtValuesNestedTooDeep) {
  const auto shown = testing::shown(
      "{% set ns = namespace(l=[]) %}{% for i in range(200) %}{% set ns.l = [ns.l] %}"
      "{% endfor %}{{ ns.l|tojson }}");
  EXPECT_EQ(shown, "error: line 1: a value is nested deeper than 100 levels");
}

}  // namespace
}  // namespace troupe::model::jinja
