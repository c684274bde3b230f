#include "troupe/pipeline/print_spec.h"
#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace troupe::pipeline {
namespace {

TEST(PrintDot, HasEveryOperatorOnceAndEveryWire) {
  const auto text = print_dot(testing::load_shipped("completion.toml"));
  EXPECT_TRUE(text.starts_with("digraph \"completion\" {\n  rankdir=LR;\n"));
  EXPECT_NE(text.find("  client [label=\"client\\ningress: embed\"];\n"), text.npos) << text;
  EXPECT_NE(text.find("    sampler [label=\"sampler\\nsampler: gumbel\"];\n"), text.npos);
  EXPECT_NE(text.find("  subgraph cluster_scheduler {\n"), text.npos);
  EXPECT_NE(text.find("  client -> tokenizer [label=\"Request\"];\n"), text.npos);
  EXPECT_NE(text.find("sampler -> scheduler [label=\"SampledTokens\", color=\"#c2410c\"];\n"),
            text.npos);
  EXPECT_EQ(std::ranges::count(text, '>'), 9);
}

TEST(PrintMermaid, HasEveryOperatorOnceAndEveryWire) {
  const auto text = print_mermaid(testing::load_shipped("completion.toml"));
  EXPECT_TRUE(text.starts_with("flowchart LR\n"));
  EXPECT_NE(text.find("  client[\"client<br/><small>ingress: embed</small>\"]\n"), text.npos);
  EXPECT_NE(text.find("  client -->|Request| tokenizer\n"), text.npos);
  EXPECT_NE(text.find("  scheduler ==>|StepPlan| executor\n"), text.npos);
  EXPECT_NE(text.find("  subgraph loop_scheduler[\"token loop\"]\n"), text.npos);
}

}  // namespace
}  // namespace troupe::pipeline
