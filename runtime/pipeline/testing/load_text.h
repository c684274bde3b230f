#pragma once
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/pipeline/testing/fake_catalog.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace troupe::pipeline::testing {

inline const std::vector<std::string> kShippedPipelines = {"batch.toml",      "chat.toml",
                                                           "completion.toml", "guarded_chat.toml",
                                                           "serve.toml",      "two_models.toml"};

/// A shipped pipeline, checked against the fake catalog.
inline PipelineSpec load_shipped(const std::string& file, const Overrides& overrides = {}) {
  const FakeCatalog catalog;
  auto spec = load_pipeline(TROUPE_SOURCE_DIR "/pipelines/" + file, overrides, catalog);
  EXPECT_TRUE(spec) << spec.error().message();
  return spec ? *spec : PipelineSpec{};
}

/// A pipeline from its text, which must be valid.
inline PipelineSpec load_text(const std::string& text, const Overrides& overrides = {}) {
  const FakeCatalog catalog;
  auto spec = load_pipeline(PipelineSource{text, "test.toml"}, overrides, catalog);
  EXPECT_TRUE(spec) << spec.error().message() << "\n" << text;
  return spec ? *spec : PipelineSpec{};
}

/// A valid pipeline that depends on the seed: 1 to 3 doors, up to 4 stages on the way in and out, 1
/// to 4 models behind a router.
inline std::string random_pipeline(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto upto = [&](unsigned n) { return random() % (n + 1); };
  std::string flow, tables, doors, way_in, way_back;
  const auto table = [&](const std::string& name, const std::string& kind,
                         const std::string& plugin) {
    tables += "[operators." + name + "]\nkind = \"" + kind + "\"\nplugin = \"" + plugin + "\"\n";
  };
  for (unsigned i = 0, n = 1 + upto(2); i < n; ++i) {
    doors += (i ? ", door" : "door") + std::to_string(i);
    table("door" + std::to_string(i), "ingress", "embed");
  }
  for (unsigned i = 0, n = upto(4); i < n; ++i) {
    const auto name = "stage" + std::to_string(i);
    table(name, "stage", "guard");
    const auto ways = upto(2);
    if (ways != 1) way_in += " -> " + name;
    if (ways != 0) way_back = " -> " + name + way_back;
  }
  const unsigned models = 1 + upto(3);
  std::string tokenizers;
  for (unsigned i = 0; i < models; ++i) {
    const auto n = std::to_string(i);
    tokenizers += (i ? ", tok" : "tok") + n;
    flow += "  \"tok" + n + " <-> sched" + n + " <-> kv" + n + "\",\n  \"sched" + n + " -> exec" +
            n + " -> samp" + n + " -> sched" + n + "\",\n";
    table("tok" + n, "tokenizer", "bpe");
    table("sched" + n, "scheduler", "continuous");
    table("kv" + n, "kv_cache", "paged");
    table("exec" + n, "executor", "transformer");
    table("samp" + n, "sampler", "gumbel");
  }
  if (models > 1) table("router", "router", "by_model");
  flow += "  \"" + doors + way_in + (models > 1 ? " -> router -> " : " -> ") + tokenizers +
          "\",\n  \"" + tokenizers + way_back + " -> " + doors + "\",\n";
  return "[pipeline]\nname = \"random\"\nflow = [\n" + flow + "]\n" + tables + "[model.default]\n";
}

/// The shipped pipelines and 80 random ones.
inline std::vector<PipelineSpec> many_pipelines() {
  std::vector<PipelineSpec> specs;
  for (const auto& file : kShippedPipelines)
    specs.push_back(load_shipped(file));
  for (std::uint32_t seed = 0; seed < 80; ++seed)
    specs.push_back(load_text(random_pipeline(seed)));
  return specs;
}

}  // namespace troupe::pipeline::testing
