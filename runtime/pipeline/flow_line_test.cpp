#include "troupe/pipeline/flow_line.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

const SourceLocation kQuote{"f.toml", 4, 10};

std::string fault(std::string_view text) {
  Diagnostics diagnostics;
  const auto line = parse_flow_line(text, kQuote, diagnostics);
  EXPECT_EQ(line.has_value(), diagnostics.empty());
  return diagnostics.empty() ? "" : diagnostics.to_error().message();
}

TEST(FlowLine, HasGroupsArrowsAndPorts) {
  Diagnostics diagnostics;
  const auto line = parse_flow_line(" a,b.requests  -> c<->d ", kQuote, diagnostics);
  ASSERT_TRUE(line);
  ASSERT_EQ(line->groups.size(), 3u);
  ASSERT_EQ(line->groups[0].size(), 2u);
  EXPECT_EQ(line->groups[0][1].op, "b");
  EXPECT_EQ(line->groups[0][1].port, "requests");
  EXPECT_EQ(line->groups[2][0].op, "d");
  EXPECT_FALSE(line->arrows[0].both_ways);
  EXPECT_TRUE(line->arrows[1].both_ways);
}

TEST(FlowLine, PointsIntoTheString) {
  Diagnostics diagnostics;
  const auto line = parse_flow_line("ab -> cd", kQuote, diagnostics);
  EXPECT_EQ(line->groups[0][0].where.text(), "f.toml:4:11");
  EXPECT_EQ(line->arrows[0].where.text(), "f.toml:4:14");
  EXPECT_EQ(line->groups[1][0].where.text(), "f.toml:4:17");
}

TEST(FlowLine, SaysWhatItFoundAndWhatItExpected) {
  EXPECT_EQ(fault("a => b"),
            "f.toml:4:13: '=' in a line of 'flow'; expected \"->\", \"<->\" or \",\"");
  EXPECT_EQ(
      fault("a -> "),
      "f.toml:4:16: the end of the line in a line of 'flow'; expected the name of an operator");
  EXPECT_EQ(
      fault(""),
      "f.toml:4:11: the end of the line in a line of 'flow'; expected the name of an operator");
  EXPECT_EQ(fault("a. -> b"), "f.toml:4:13: ' ' in a line of 'flow'; expected the name of a port");
  EXPECT_EQ(fault("a \u2192 b"),
            "f.toml:4:13: '\u2192' in a line of 'flow'; expected \"->\", \"<->\" or \",\"");
  EXPECT_EQ(fault("a, , b -> c"),
            "f.toml:4:14: ',' in a line of 'flow'; expected the name of an operator");
}

TEST(FlowLine, WithASingleOperatorJoinsNothing) {
  EXPECT_EQ(fault("a, b"),
            "f.toml:4:10: a line of 'flow' with a single operator joins nothing; expected a line "
            "such as \"client -> tokenizer -> scheduler\"");
}

}  // namespace
}  // namespace troupe::pipeline
