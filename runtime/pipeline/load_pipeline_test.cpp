#include "troupe/pipeline/load_pipeline.h"

#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace troupe::pipeline {
namespace {

namespace fs = std::filesystem;
using testing::load_shipped;
using testing::load_text;

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
  EXPECT_EQ(wire_texts(load_shipped("completion.toml")), expected);
}

TEST(LoadPipeline, AcceptsEveryShippedPipeline) {
  for (const auto& file : testing::kShippedPipelines) {
    const auto spec = load_shipped(file);
    EXPECT_EQ(spec.name + ".toml", file);
    EXPECT_FALSE(spec.description.empty());
    EXPECT_EQ(spec.loops.size(), file == "two_models.toml" ? 2u : 1u);
  }
}

TEST(LoadPipeline, KeepsTheOrderOfTheFileAndItsPlaces) {
  const auto spec = load_shipped("completion.toml");
  ASSERT_EQ(spec.operators.size(), 6u);
  EXPECT_EQ(spec.operators[0].name, "client");
  EXPECT_EQ(spec.operators[5].name, "sampler");
  std::ifstream file(spec.source);
  std::string line;
  for (std::uint32_t i = 0; i < spec.operators[2].where.line; ++i)
    std::getline(file, line);
  EXPECT_EQ(line, "[operators.scheduler]");
}

TEST(LoadPipeline, FindsTheTokenLoopOfEachModel) {
  const auto spec = load_shipped("two_models.toml");
  ASSERT_EQ(spec.loops.size(), 2u);
  EXPECT_EQ(spec.operators[spec.loops[1].executor].name, "executor_b");
  EXPECT_EQ(spec.operators[spec.loops[1].kv_cache].name, "kv_cache_b");
  EXPECT_EQ(spec.operators[spec.loops[0].sampler].name, "sampler_a");
  EXPECT_FALSE(spec.loops[0].drafter);
}

TEST(LoadPipeline, FindsADrafter) {
  const auto spec = load_text(R"([pipeline]
name = "speculative"
flow = ["client <-> tokenizer <-> scheduler <-> kv_cache", "scheduler <-> drafter",
        "scheduler -> executor -> sampler -> scheduler"]
[operators]
client = { kind = "ingress", plugin = "embed" }
tokenizer = { plugin = "bpe" }
scheduler = { plugin = "continuous" }
kv_cache = { plugin = "paged" }
executor = { plugin = "null" }
sampler = { plugin = "greedy" }
drafter = { plugin = "ngram" }
[model.default]
)");
  ASSERT_EQ(spec.loops.size(), 1u);
  ASSERT_TRUE(spec.loops[0].drafter);
  EXPECT_EQ(spec.operators[*spec.loops[0].drafter].name, "drafter");
}

TEST(LoadPipeline, CompletesParametersWithTheirDefaults) {
  const auto spec = load_shipped("chat.toml", {{}, "", {"scheduler.prefill_chunk=128"}, ""});
  const auto& params = spec.find_operator("scheduler")->params;
  EXPECT_EQ(params.get_int("prefill_chunk"), 128);
  EXPECT_EQ(params.get_int("max_batch_tokens"), 512);
  EXPECT_EQ(spec.find_model("default")->params.get_text("activations"), "int8x2");
}

TEST(LoadPipeline, SettlesArrowsBetweenStagesByTheirLine) {
  const auto spec = load_shipped("guarded_chat.toml");
  const auto texts = wire_texts(spec);
  EXPECT_NE(std::ranges::find(texts, "guard.requests -> template.requests"), texts.end());
  EXPECT_NE(std::ranges::find(texts, "tokenizer.events -> guard.events"), texts.end());
  EXPECT_NE(std::ranges::find(texts, "guard.events -> client.events"), texts.end());
}

TEST(LoadPipeline, SettlesALineOfDoubleArrowsInBothDirections) {
  const auto spec = load_text(R"([pipeline]
name = "p"
flow = ["client <-> first <-> second <-> tokenizer <-> scheduler <-> kv_cache",
        "scheduler -> executor -> sampler -> scheduler"]
[operators]
client = { kind = "ingress", plugin = "embed" }
first = { kind = "stage", plugin = "guard" }
second = { kind = "stage", plugin = "guard" }
tokenizer = { plugin = "bpe" }
scheduler = { plugin = "continuous" }
kv_cache = { plugin = "paged" }
executor = { plugin = "transformer" }
sampler = { plugin = "gumbel" }
[model.default]
)");
  const auto texts = wire_texts(spec);
  EXPECT_NE(std::ranges::find(texts, "first.requests -> second.requests"), texts.end());
  EXPECT_NE(std::ranges::find(texts, "second.events -> first.events"), texts.end());
}

TEST(LoadPipeline, LetsAnOperatorsNameStandForItsKindOrPlugin) {
  const auto spec = load_text(R"([pipeline]
name = "short"
flow = ["embed <-> bpe <-> scheduler <-> paged", "scheduler -> executor -> sampler -> scheduler"]
[operators]
embed = { kind = "ingress" }
bpe = { kind = "tokenizer" }
scheduler = { plugin = "continuous" }
paged = { kind = "kv_cache" }
executor = { plugin = "null" }
sampler = { plugin = "gumbel" }
[model.default]
)");
  EXPECT_EQ(spec.find_operator("embed")->plugin, "embed");
  EXPECT_EQ(spec.find_operator("scheduler")->kind, OperatorKind::scheduler);
}

TEST(LoadPipeline, TakesTheOperatorsOwnKeys) {
  const auto spec = load_shipped(
      "chat.toml", {{},
                    "",
                    {"tokenizer.instances=3", "client.mailbox=7",
                     "sampler.restart={policy = \"never\"}", "executor.restart.window_s=5"},
                    ""});
  EXPECT_EQ(spec.find_operator("tokenizer")->instances, 3);
  EXPECT_EQ(spec.find_operator("client")->mailbox, 7);
  EXPECT_EQ(spec.find_operator("sampler")->restart, (RestartSpec{RestartPolicy::never, 3, 60}));
  EXPECT_EQ(spec.find_operator("executor")->restart, (RestartSpec{RestartPolicy::always, 3, 5}));
}

TEST(LoadPipeline, SaysWhichFileIsMissing) {
  const testing::FakeCatalog catalog;
  const auto spec = load_pipeline("no/such.toml", {}, catalog);
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code(), ErrorCode::not_found);
  EXPECT_EQ(spec.error().message(), "no/such.toml: there is no such file");
  EXPECT_FALSE(load_pipeline(TROUPE_SOURCE_DIR, {}, catalog));
}

TEST(LoadPipeline, GivesEveryDiagnosticInOneError) {
  const testing::FakeCatalog catalog;
  const auto spec =
      load_pipeline(PipelineSource{"[pipeline]\nnme = \"x\"\n", "p.toml"}, {}, catalog);
  ASSERT_FALSE(spec);
  EXPECT_EQ(std::ranges::count(spec.error().message(), '\n'), 3) << spec.error().message();
}

TEST(LoadPipeline, MakesModelPathsAbsolute) {
  const auto path_of = [](const Overrides& overrides) {
    return load_shipped("chat.toml", overrides).find_model("default")->params.get_text("path");
  };
  EXPECT_EQ(path_of({}), "");
  EXPECT_EQ(path_of({{}, "", {}, "m.gguf"}), (fs::current_path() / "m.gguf").string());
  EXPECT_EQ(path_of({{}, "", {"model.default.path=/a/../b.gguf"}, ""}), "/b.gguf");
  if (const char* home = std::getenv("HOME")) {
    EXPECT_EQ(path_of({{}, "", {}, "~/m.gguf"}), (fs::path(home) / "m.gguf").string());
  }
}

TEST(LoadPipeline, TakesAPathInAConfigFileFromThatFilesFolder) {
  const auto folder =
      fs::temp_directory_path() / ("troupe_config_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "c.toml") << "[model.default]\npath = \"m.gguf\"\n";
  const auto spec = load_shipped("chat.toml", {{(folder / "c.toml").string()}, "", {}, ""});
  EXPECT_EQ(spec.find_model("default")->params.get_text("path"), (folder / "m.gguf").string());
  fs::remove_all(folder);
}

TEST(LoadPipeline, AcceptsRandomPipelines) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const auto spec = load_text(testing::random_pipeline(seed));
    EXPECT_GE(spec.loops.size(), 1u);
  }
}

}  // namespace
}  // namespace troupe::pipeline
