#include "troupe/pipeline/config_file.h"

#include "troupe/pipeline/pipeline_file.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

struct Applied {
  GivenPipeline pipeline;
  std::string faults;
};

Applied apply(const std::string& config) {
  Diagnostics diagnostics;
  const auto root = parse_toml(
      "[pipeline]\nname = \"p\"\nflow = [\"a -> b\"]\n[operators.a]\nmailbox = 5\n"
      "params = { x = 1 }\n[model.m]\npath = \"a.gguf\"\n",
      "dir/p.toml", diagnostics);
  Applied out{read_pipeline_file(*root, diagnostics), ""};
  EXPECT_TRUE(diagnostics.empty());
  if (const auto values = parse_toml(config, "etc/c.toml", diagnostics))
    apply_config_file(*values, out.pipeline, diagnostics);
  if (!diagnostics.empty()) out.faults = diagnostics.to_error().message();
  return out;
}

TEST(ConfigFile, AddsValuesAfterThoseOfThePipeline) {
  const auto out = apply("[operators.a]\nmailbox = 9\n[operators.a.params]\nx = 2\ny = 3\n");
  EXPECT_EQ(out.faults, "");
  const auto& op = out.pipeline.operators.front();
  ASSERT_EQ(op.params.find("x")->values.size(), 2u);
  EXPECT_EQ(op.params.find("x")->values[1].value, Value(2));
  EXPECT_EQ(op.params.find("x")->values[1].layer, kConfigLayer);
  EXPECT_EQ(op.params.find("y")->values.size(), 1u);
  EXPECT_EQ(op.fields.find("mailbox")->values.back().value, Value(9));
}

TEST(ConfigFile, TakesPathsFromItsOwnFolder) {
  const auto out = apply("[model.m]\npath = \"b.gguf\"\n");
  const auto& values = out.pipeline.models.front().find("path")->values;
  EXPECT_EQ(values[0].value, Value("dir/a.gguf"));
  EXPECT_EQ(values[1].value, Value("etc/b.gguf"));
}

TEST(ConfigFile, LeavesAbsoluteAndHomePathsAlone) {
  const auto path = [](const std::string& text) {
    return apply("[model.m]\npath = \"" + text + "\"\n")
        .pipeline.models.front()
        .find("path")
        ->values.back()
        .value;
  };
  EXPECT_EQ(path("/m/b.gguf"), Value("/m/b.gguf"));
  EXPECT_EQ(path("~/b.gguf"), Value("~/b.gguf"));
  EXPECT_EQ(path(""), Value(""));
}

TEST(ConfigFile, SetsNeitherKindsNorPluginsNorWires) {
  EXPECT_EQ(apply("[operators.a]\nkind = \"stage\"\n").faults,
            "etc/c.toml:2:1: 'kind' in a config file; expected values only; a pipeline or --set "
            "a.kind=NAME sets it");
  EXPECT_EQ(apply("[pipeline]\n").faults,
            "etc/c.toml:1:2: a [pipeline] table in a config file; expected values only: "
            "[operators.NAME.params] and [model.NAME]");
}

TEST(ConfigFile, NamesWhatThePipelineLacks) {
  EXPECT_EQ(apply("[operators.b]\n[model.n]\n").faults,
            "etc/c.toml:1:12: the pipeline has no operator 'b'; expected 'a'\n"
            "etc/c.toml:2:8: the pipeline has no model 'n'; expected 'm'");
}

}  // namespace
}  // namespace troupe::pipeline
