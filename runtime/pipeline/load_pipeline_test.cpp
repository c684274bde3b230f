#include "troupe/pipeline/load_pipeline.h"

#include "troupe/pipeline/testing/fake_catalog.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

const std::string kPipelines = TROUPE_SOURCE_DIR "/pipelines/";

PipelineSpec load(const std::string& name, Overrides overrides = {}) {
  const testing::FakeCatalog catalog;
  auto spec = load_pipeline(kPipelines + name, overrides, catalog);
  EXPECT_TRUE(spec) << spec.error().message();
  return spec ? *spec : PipelineSpec{};
}

std::vector<std::string> wire_texts(const PipelineSpec& spec) {
  std::vector<std::string> texts;
  for (const auto& wire : spec.wires)
    texts.push_back(spec.operators[wire.from.op].name + "." + wire.from.port + " -> " +
                    spec.operators[wire.to.op].name + "." + wire.to.port);
  return texts;
}

TEST(LoadPipeline, ResolvesEveryWireOfTheCompletionPipeline) {
  const std::vector<std::string> expected = {
      "client.requests -> tokenizer.requests", "tokenizer.tokenized -> scheduler.requests",
      "tokenizer.events -> client.events",     "scheduler.events -> tokenizer.tokens",
      "scheduler.blocks -> kv_cache.blocks",   "kv_cache.grants -> scheduler.grants",
      "scheduler.plans -> executor.plans",     "executor.logits -> sampler.logits",
      "sampler.sampled -> scheduler.sampled"};
  EXPECT_EQ(wire_texts(load("completion.toml")), expected);
}

TEST(LoadPipeline, LoadsChat) {
  EXPECT_EQ(load("chat.toml").wires.size(), 10u);
}

}  // namespace
}  // namespace troupe::pipeline
