#pragma once
#include "test_catalog.h"
#include "troupe/engine/engine.h"
#include "troupe/model/tiny_model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace troupe::testing {

/// The shipped completion pipeline with a tiny model: real plugins and actors throughout.
class TinyPipeline : public ::testing::Test {
 protected:
  TinyPipeline()
      : path_(std::filesystem::temp_directory_path() /
              ("troupe-tiny-pipeline-" + std::to_string(::getpid()) + ".gguf")) {
    model::TinyModelOptions options;
    options.weight_type = model::WeightType::q4_1;
    options.padded_rows = 16;
    EXPECT_TRUE(model::write_tiny_model(path_, options));
  }
  ~TinyPipeline() override { std::filesystem::remove(path_); }

  pipeline::PipelineSpec spec(std::vector<std::string> set = {}) {
    pipeline::Overrides overrides;
    overrides.model = path_.string();
    overrides.set = std::move(set);
    auto spec = pipeline::load_pipeline(std::string(TROUPE_SOURCE_DIR "/pipelines/completion.toml"),
                                        overrides, catalog_);
    if (spec) return std::move(*spec);
    ADD_FAILURE() << spec.error().message();
    return {};
  }

  std::unique_ptr<Engine> open(std::vector<std::string> set = {}) {
    auto engine = Engine::open(spec(std::move(set)), catalog_);
    EXPECT_TRUE(engine) << engine.error().message();
    return engine ? std::move(*engine) : nullptr;
  }

  std::filesystem::path path_;
  TestCatalog catalog_;
};

}  // namespace troupe::testing
