#include "troupe/pipeline/explain.h"

#include "troupe/core/json.h"
#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace troupe::pipeline {
namespace {

namespace fs = std::filesystem;

const char* const kText = R"([pipeline]
name = "p"
flow = ["client <-> tokenizer <-> scheduler <-> kv_cache",
        "scheduler -> executor -> sampler -> scheduler"]
[operators]
client = { kind = "ingress", plugin = "embed" }
tokenizer = { plugin = "bpe" }
scheduler = { plugin = "continuous", params = { max_batch_tokens = 64 } }
kv_cache = { plugin = "paged" }
executor = { plugin = "transformer" }
sampler = { plugin = "gumbel" }
[model.default]
)";

class Layers : public ::testing::Test {
 protected:
  void SetUp() override {
    // A name of this process's own: ctest runs the tests of this file side by side.
    file_ = (fs::temp_directory_path() / "troupe_explain_test_").string() +
            std::to_string(getpid()) + ".toml";
    std::ofstream(file_) << "[operators.scheduler.params]\nmax_batch_tokens = 128\n";
  }
  void TearDown() override { fs::remove(file_); }

  PipelineSpec spec(const Overrides& overrides) { return testing::load_text(kText, overrides); }
  static std::int64_t tokens(const PipelineSpec& spec) {
    return spec.find_operator("scheduler")->params.get_int("max_batch_tokens");
  }

  std::string file_;
};

TEST_F(Layers, GoBeforeEachOtherInTheStatedOrder) {
  const std::string environment = "scheduler.max_batch_tokens=256";
  const std::string flag = "scheduler.max_batch_tokens=1024";
  EXPECT_EQ(tokens(spec({})), 64);
  EXPECT_EQ(tokens(spec({{file_}, "", {}, ""})), 128);
  EXPECT_EQ(tokens(spec({{file_}, environment, {}, ""})), 256);
  EXPECT_EQ(tokens(spec({{file_}, environment, {flag}, ""})), 1024);
  EXPECT_EQ(tokens(spec({{}, "", {flag}, ""})), 1024);
}

TEST_F(Layers, AreAllRememberedByTheKey) {
  const auto all =
      spec({{file_}, "scheduler.max_batch_tokens=256", {"scheduler.max_batch_tokens=1024"}, ""});
  const auto key = find_key(all, "scheduler.max_batch_tokens");
  ASSERT_TRUE(key);
  EXPECT_EQ(explain_text(**key),
            "scheduler.max_batch_tokens = 1024\n"
            "  from        --set scheduler.max_batch_tokens=1024 (flag)\n"
            "  overrides   256 from TROUPE_SET scheduler.max_batch_tokens=256 (environment)\n"
            "              128 from " +
                file_ +
                ":2:20 (config)\n"
                "              64 from test.toml:8:68 (pipeline)\n"
                "              512 from the default of scheduler 'continuous'\n"
                "  type        integer, in tokens\n"
                "  range       1 to 65536\n"
                "  default     512\n"
                "  help        tokens of one step\n");
}

TEST(FindKey, TakesShortAndLongForms) {
  const auto spec = testing::load_text(kText);
  for (const auto* key :
       {"scheduler.max_batch_tokens", "scheduler.params.max_batch_tokens",
        "operators.scheduler.params.max_batch_tokens", "operators.scheduler.max_batch_tokens"})
    EXPECT_TRUE(find_key(spec, key)) << key;
  EXPECT_EQ((*find_key(spec, "model.default.context"))->current().value, Value(0));
  EXPECT_EQ((*find_key(spec, "operators.client.mailbox"))->current().layer, "default");
  EXPECT_EQ((*find_key(spec, "client.restart.max"))->unit, "restarts");
}

TEST(FindKey, NamesTheNearestKey) {
  const auto spec = testing::load_text(kText);
  const auto key = find_key(spec, "scheduler.max_batch_token");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code(), ErrorCode::not_found);
  EXPECT_EQ(key.error().message(),
            "test.toml: there is no key 'scheduler.max_batch_token'; expected OPERATOR.PARAMETER, "
            "OPERATOR.KEY or model.NAME.KEY; did you mean 'scheduler.max_batch_tokens'?");
}

TEST(ExplainValue, HasTheSameForPrograms) {
  const auto spec = testing::load_text(kText, {{}, "", {"executor.device=cuda"}, ""});
  EXPECT_EQ(to_json(explain_value(**find_key(spec, "executor.device"))),
            R"({"key":"executor.device","value":"cuda","layer":"flag",)"
            R"("origin":"--set executor.device=cuda","overridden":[{"value":"cpu",)"
            R"("layer":"default","origin":"the default of executor 'transformer'"}],"type":"text",)"
            R"("unit":"","range":"cpu | cuda","default":"\"cpu\"","help":"where the model runs"})");
}

TEST(Precedence, NamesEveryLayerInOrder) {
  const auto text = precedence_text();
  std::size_t last = 0;
  for (const auto* layer : {"default ", "pipeline ", "config ", "environment ", "flag "}) {
    const auto at = text.find(std::string("\n  ") + layer);
    ASSERT_NE(at, text.npos) << layer;
    EXPECT_GT(at, last);
    last = at;
  }
}

}  // namespace
}  // namespace troupe::pipeline
