#include "troupe/pipeline/load_pipeline.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

TEST(PipelineSpec, FindsOperatorsAndModelsByName) {
  PipelineSpec spec;
  spec.operators.resize(2);
  spec.operators[1].name = "sampler";
  spec.models.resize(1);
  spec.models[0].name = "default";
  EXPECT_EQ(spec.find_operator("sampler"), &spec.operators[1]);
  EXPECT_EQ(spec.find_operator("default"), nullptr);
  EXPECT_EQ(spec.find_model("default"), &spec.models[0]);
  EXPECT_EQ(spec.find_model("sampler"), nullptr);
}

TEST(SourceLocation, PrintsOnlyTheSourceWhenItHasNoLines) {
  EXPECT_EQ((SourceLocation{"chat.toml", 3, 14}).text(), "chat.toml:3:14");
  EXPECT_EQ((SourceLocation{"--set", 0, 0}).text(), "--set");
}

}  // namespace
}  // namespace troupe::pipeline
