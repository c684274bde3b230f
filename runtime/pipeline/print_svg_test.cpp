#include "troupe/pipeline/print_spec.h"
#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

TEST(PrintSvg, IsOneClosedDocumentWithEveryName) {
  const auto spec = testing::load_shipped("two_models.toml");
  const auto text = print_svg(spec);
  EXPECT_TRUE(text.starts_with("<svg xmlns="));
  EXPECT_TRUE(text.ends_with("</svg>\n"));
  for (const auto& op : spec.operators)
    EXPECT_NE(text.find(">" + op.name + "</text>"), text.npos) << op.name;
  EXPECT_EQ(text.find("nan"), text.npos);
}

TEST(PrintSvg, EscapesWhatTheAuthorWrote) {
  auto spec = testing::load_shipped("completion.toml");
  spec.description = "<script>\"&\x01";
  const auto text = print_svg(spec);
  EXPECT_EQ(text.find("<script>"), text.npos);
  EXPECT_NE(text.find("&lt;script&gt;&quot;&amp; "), text.npos);
}

TEST(PrintedGraphs, AreTheSameEveryTime) {
  const auto spec = testing::load_shipped("two_models.toml");
  EXPECT_EQ(print_svg(spec), print_svg(testing::load_shipped("two_models.toml")));
}

}  // namespace
}  // namespace troupe::pipeline
