#include "troupe/core/json.h"
#include "troupe/pipeline/print_spec.h"
#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace troupe::pipeline {
namespace {

PipelineSpec reread(const PipelineSpec& spec) {
  const testing::FakeCatalog catalog;
  auto again = load_pipeline(PipelineSource{print_toml(spec), spec.source}, {}, catalog);
  EXPECT_TRUE(again) << again.error().message() << "\n" << print_toml(spec);
  return again ? *again : PipelineSpec{};
}

TEST(PrintToml, ReadsBackAsTheSamePipeline) {
  for (const auto& file : testing::kShippedPipelines) {
    const auto spec = testing::load_shipped(file);
    EXPECT_EQ(to_json(print_value(reread(spec))), to_json(print_value(spec))) << file;
  }
}

TEST(PrintToml, ReadsBackForRandomPipelinesToo) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const auto spec = testing::load_text(testing::random_pipeline(seed));
    EXPECT_EQ(to_json(print_value(reread(spec))), to_json(print_value(spec))) << seed;
  }
}

TEST(PrintToml, KeepsValuesThatNeedQuotesAndOnesFromFlags) {
  const auto spec = testing::load_shipped(
      "guarded_chat.toml", {{},
                            "",
                            {"guard.refuse=[\"a\\\"b\", \"\\u4e16\\n\"]", "sampler.floor=0.1",
                             "client.restart.policy=never", "model.default.path=/a b/c.gguf"},
                            ""});
  const auto again = reread(spec);
  EXPECT_EQ(again.find_operator("guard")->params.get_texts("refuse"),
            (std::vector<std::string>{"a\"b", "\u4e16\n"}));
  EXPECT_EQ(to_json(print_value(again)), to_json(print_value(spec)));
}

TEST(PrintValue, HasEveryPartOfThePipeline) {
  const auto value = print_value(testing::load_shipped("completion.toml"));
  EXPECT_EQ(value.find("name")->as_string(), "completion");
  EXPECT_EQ(value.find("operators")->as_array().size(), 6u);
  EXPECT_EQ(value.find("wires")->as_array().size(), 9u);
  EXPECT_EQ(to_json(value.find("loops")->as_array()[0]),
            R"({"scheduler":"scheduler","kv_cache":"kv_cache","executor":"executor",)"
            R"("sampler":"sampler","drafter":null})");
  EXPECT_EQ(to_json(value.find("wires")->as_array()[0]),
            R"({"from":"client","output":"requests","to":"tokenizer","input":"requests",)"
            R"("message":"Request"})");
}

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
