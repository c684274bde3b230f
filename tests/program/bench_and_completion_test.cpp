#include "program_fixture.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;

class Bench : public ProgramTest {};

TEST_F(Bench, StepOverheadMeasuresEveryNumberOfSequences) {
  const auto json = json_of(
      run_troupe({"bench", "step-overhead", "--sequences", "1,4", "--steps", "100", "--json"}));
  const auto& runs = json.find("runs")->as_array();
  ASSERT_EQ(runs.size(), 2u);
  for (const auto& run : runs) {
    EXPECT_GE(run.find("steps")->as_int(), 100);
    EXPECT_GT(run.find("median_us")->as_double(), 0);
    EXPECT_LE(run.find("median_us")->as_double(), run.find("p99_us")->as_double());
  }
  EXPECT_EQ(runs[1].find("sequences")->as_int(), 4);
}

TEST_F(Bench, TakesTheTokenizerOfAModelAndLeavesNoFileBehind) {
  const auto finished = run_troupe(
      {"bench", "step-overhead", "--sequences", "1", "--steps", "10", "--model", model()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("median"));
  EXPECT_TRUE(std::filesystem::exists(model()));
}

TEST_F(Bench, RefusesNumbersThatMakeNoSense) {
  for (const auto* list : {"0", "1,x", "-1", "", "99999999"})
    expect_failure(run_troupe({"bench", "step-overhead", "--sequences", list}), 2, "--sequences");
  expect_failure(run_troupe({"bench", "step-overhead", "--steps", "0"}), 2, "--steps");
  expect_failure(run_troupe({"bench"}), 2, "found no command");
}

class BashCompletion : public ProgramTest {
 protected:
  /// What bash offers after the words; the last one is the one being typed.
  std::string complete(const std::vector<std::string>& words) {
    std::string script = "source " + path("completion") + "; COMP_WORDS=(";
    for (const auto& word : words)
      script += "'" + word + "' ";
    script += "); COMP_CWORD=" + std::to_string(words.size() - 1) +
              "; compopt() { :; }; _troupe; echo \"${COMPREPLY[@]}\" > " + path("offers");
    const auto file = write_file("script", script);
    EXPECT_EQ(std::system(("cd " + path(".") + " && bash " + file).c_str()), 0);
    std::string offers;
    std::ifstream stream(path("offers"));
    std::getline(stream, offers);
    return offers;
  }
};

TEST_F(BashCompletion, OffersCommandsOptionsChoicesAndFiles) {
  const auto finished = run_troupe({"completion", "bash"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  write_file("completion", finished.out);
  EXPECT_EQ(complete({"troupe", "tok"}), "tokenize");
  EXPECT_EQ(complete({"troupe", "run", "--max"}), "--max-tokens");
  EXPECT_EQ(complete({"troupe", "graph", "--format", "sv"}), "svg");
  EXPECT_EQ(complete({"troupe", "run", "--model", "tin"}), "tiny.gguf");
  EXPECT_EQ(complete({"troupe", "check", "tin"}), "tiny.gguf");
  EXPECT_EQ(complete({"troupe", "model", "in"}), "info");
  EXPECT_EQ(complete({"troupe", "model", "info", "--j"}), "--json");
  EXPECT_EQ(complete({"troupe", "run", "--seed", ""}), "");
}

TEST_F(BashCompletion, RefusesShellsItDoesNotKnow) {
  expect_failure(run_troupe({"completion", "fish"}), 2, "found 'fish'");
}

}  // namespace
}  // namespace troupe::testing
