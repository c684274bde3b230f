// The benches that put a load on a pipeline: that they measure, and what they print.
#include "program_fixture.h"

namespace troupe::testing {
namespace {

using LoadBenches = ProgramTest;

std::vector<std::string> bench(const std::string& name, const std::string& model,
                               const std::vector<std::string>& more) {
  std::vector<std::string> words = {"bench", name, "--model", model, "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(LoadBenches, BatchingComparesBothSchedulersOnOneTrace) {
  const auto value = json_of(run_troupe(
      bench("batching", model(), {"--requests", "8", "--batch", "2", "--max-tokens", "24"})));
  const auto& runs = value.find("runs")->as_array();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].find("scheduler")->as_string(), "static");
  EXPECT_EQ(runs[1].find("scheduler")->as_string(), "continuous");
  EXPECT_DOUBLE_EQ(runs[0].find("gain")->as_double(), 1.0);
  EXPECT_GT(runs[1].find("requests_per_s")->as_double(), 0);
}

TEST_F(LoadBenches, PrefixFindsTheWholePrefixOnlyWithTheCache) {
  const auto value = json_of(run_troupe(bench(
      "prefix", model(), {"--clients", "1,3", "--shared-tokens", "64", "--own-tokens", "5"})));
  const auto& runs = value.find("runs")->as_array();
  ASSERT_EQ(runs.size(), 4u);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool on = i % 2 == 1;
    EXPECT_EQ(runs[i].find("prefix_cache")->as_string(), on ? "on" : "off");
    EXPECT_DOUBLE_EQ(runs[i].find("cached_share")->as_double(), on ? 1.0 : 0.0);
  }
}

TEST_F(LoadBenches, InterferenceMeasuresEachWayToCutUpLongPrompts) {
  const auto value = json_of(run_troupe(bench(
      "interference", model(),
      {"--clients", "2", "--max-tokens", "300", "--prompt-tokens", "200", "--prompts", "1"})));
  const auto& runs = value.find("runs")->as_array();
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].find("long_prompts")->as_int(), 0);
  std::int64_t long_prompts = 0;
  for (const auto& run : runs) {
    EXPECT_GT(run.find("itl_p50_ms")->as_double(), 0);
    long_prompts += run.find("long_prompts")->as_int();
  }
  EXPECT_GT(long_prompts, 0);
}

TEST_F(LoadBenches, NumbersOutOfRangeAreTheCallersMistake) {
  expect_failure(run_troupe({"bench", "batching", "--model", model(), "--batch", "0"}), 2,
                 "--batch: found 0; expected 1 to 1024");
  expect_failure(run_troupe({"bench", "batching", "--model", model(), "--rate", "-1"}), 2,
                 "--rate");
  expect_failure(run_troupe({"bench", "prefix", "--model", model(), "--clients", "x"}), 2,
                 "--clients");
  expect_failure(run_troupe({"bench", "interference", "--model", model(), "--prompts", "0"}), 2,
                 "--prompts");
}

}  // namespace
}  // namespace troupe::testing
