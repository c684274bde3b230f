#include "troupe/core/json.h"
#include "troupe/pipeline/print_spec.h"
#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace troupe::pipeline
