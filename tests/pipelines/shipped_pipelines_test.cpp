// The pipelines and config files that are shipped, and every TOML block of docs/pipelines.md,
// against the plugins of this build.
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/plugin/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace troupe::pipeline {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TROUPE_SOURCE_DIR;

const Registry& registry() {
  static const Registry plugins({.folders = {TROUPE_BINARY_DIR "/lib/troupe/plugins"}});
  return plugins;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot / folder))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The fenced blocks of a page whose fence says exactly `language`.
std::vector<std::string> blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> found;
  const auto fence = "\n```" + language + "\n";
  for (auto at = page.find(fence); at != page.npos; at = page.find(fence, at)) {
    const auto begin = at + fence.size();
    at = page.find("\n```\n", begin);
    found.push_back(page.substr(begin, at == page.npos ? at : at + 1 - begin));
  }
  return found;
}

class ShippedPipeline : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedPipeline, IsValidWithThePluginsOfThisBuild) {
  const auto spec =
      load_pipeline((kRoot / "pipelines" / (GetParam() + ".toml")).string(), {}, registry());
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->name, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Files, ShippedPipeline, ::testing::ValuesIn(names_in("pipelines")),
                         [](const auto& info) { return info.param; });

class ShippedConfig : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedConfig, FitsTheChatPipeline) {
  const auto config = (kRoot / "configs" / (GetParam() + ".toml")).string();
  const auto spec =
      load_pipeline((kRoot / "pipelines/chat.toml").string(), {{config}, "", {}, ""}, registry());
  ASSERT_TRUE(spec) << spec.error().message();
}

INSTANTIATE_TEST_SUITE_P(Files, ShippedConfig, ::testing::ValuesIn(names_in("configs")),
                         [](const auto& info) { return info.param; });

TEST(PipelinesPage, HasOnlyValidPipelines) {
  const auto found = blocks(read(kRoot / "docs/pipelines.md"), "toml");
  EXPECT_GE(found.size(), 2u);
  for (const auto& text : found) {
    const auto spec = load_pipeline(PipelineSource{text, "docs/pipelines.md"}, {}, registry());
    EXPECT_TRUE(spec) << spec.error().message() << "\nin:\n" << text;
  }
}

/// The first pipeline of the page with one fault, and what `troupe check first.toml` says of it.
std::string message_for(const std::string& good, const std::string& broken,
                        std::vector<std::string> set = {}) {
  auto text = blocks(read(kRoot / "docs/pipelines.md"), "toml").front();
  if (!good.empty()) text.replace(text.find(good), good.size(), broken);
  const auto spec =
      load_pipeline(PipelineSource{text, "first.toml"}, {{}, "", std::move(set), ""}, registry());
  return spec ? "nothing" : spec.error().message();
}

TEST(PipelinesPage, ShowsTheMessagesThatCheckGives) {
  const auto found = blocks(read(kRoot / "docs/pipelines.md"), "text");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back(), message_for("<-> kv_cache", "<-> kv_cash") + "\n" +
                              message_for("prefill_chunk", "prefil_chunk") + "\n" +
                              message_for("", "", {"scheduler.max_num_seqs=many"}) + "\n");
}

}  // namespace
}  // namespace troupe::pipeline
