#include "program_fixture.h"

#include <gmock/gmock.h>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PipelineCommands : public ProgramTest {};

TEST_F(PipelineCommands, CheckFindsShippedPipelinesByNameAndByFile) {
  for (const auto* name : {"chat", "chat.toml", TROUPE_SOURCE_DIR "/pipelines/chat.toml"}) {
    const auto finished = run_troupe({"check", name});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("'chat' is sound"));
    EXPECT_EQ(finished.err, "");
  }
}

TEST_F(PipelineCommands, CheckListsTheShippedPipelinesWhenThereIsNoSuchFile) {
  const auto finished = run_troupe({"check", "chatt"});
  expect_failure(finished, 2, "no such file");
  EXPECT_THAT(finished.err, HasSubstr("chat, "));
}

TEST_F(PipelineCommands, CheckShowsTheFaultsOfAPipelineWithTheirPlaces) {
  const auto file =
      write_file("broken.toml", "[pipeline]\nname = \"x\"\napi = 1\nflow = []\nfoo = 1\n");
  expect_failure(run_troupe({"check", file}), 2, "broken.toml:5:1");
}

TEST_F(PipelineCommands, CheckTakesConfigFilesEnvironmentAndFlags) {
  const auto config =
      write_file("config.toml", "[operators.scheduler.params]\nprefill_chunk = 64\n");
  EXPECT_EQ(run_troupe({"check", "chat", "--config", config}).exit_code, 0);
  expect_failure(run_troupe({"check", "chat", "--config", path("absent.toml")}), 2, "absent.toml");
  expect_failure(run_troupe({"check", "chat", "--set", "scheduler.prefil_chunk=64"}), 2,
                 "did you mean 'prefill_chunk'");
}

TEST_F(PipelineCommands, CheckLooksAtTheModelFilesItIsGivenAndSaysWhenThereAreNone) {
  EXPECT_THAT(run_troupe({"check", "chat"}).out,
              HasSubstr("1 token loop, 1 model\nmodel 'default': no model file given"));
  EXPECT_THAT(run_troupe({"check", "chat", "--model", model()}).out, HasSubstr(" tensors\n"));
  expect_failure(run_troupe({"check", "chat", "--model", path("absent.gguf")}), 2, "absent.gguf");
  const auto text = write_file("text.gguf", "no model");
  expect_failure(run_troupe({"check", "chat", "--model", text}), 2, "expected a GGUF file");
}

TEST_F(PipelineCommands, GraphDrawsInEveryFormat) {
  EXPECT_THAT(run_troupe({"graph", "chat"}).out, StartsWith("digraph"));
  EXPECT_THAT(run_troupe({"graph", "chat", "--format", "svg"}).out, HasSubstr("<svg"));
  EXPECT_THAT(run_troupe({"graph", "chat", "--format", "mermaid"}).out, HasSubstr("flowchart"));
  const auto json = json_of(run_troupe({"graph", "chat", "--format", "json"}));
  EXPECT_NE(json.find("wires"), nullptr);
}

TEST_F(PipelineCommands, GraphRefusesAnUnknownFormatWithItsNeighbour) {
  expect_failure(run_troupe({"graph", "chat", "--format", "svgg"}), 2, "did you mean 'svg'?");
}

TEST_F(PipelineCommands, ExplainSaysWhatAKeyIsAndWhereItsValueComesFrom) {
  const auto finished = run_troupe(
      {"explain", "scheduler.max_num_seqs", "chat", "--set", "scheduler.max_num_seqs=3"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("--set"));
  EXPECT_THAT(finished.out, HasSubstr("256"));  // the default
}

TEST_F(PipelineCommands, ExplainUnderstandsItsArgumentsInEitherOrderAndAlone) {
  const auto both = run_troupe({"explain", "scheduler.max_num_seqs", "chat"});
  EXPECT_EQ(run_troupe({"explain", "chat", "scheduler.max_num_seqs"}).out, both.out);
  EXPECT_EQ(run_troupe({"explain", "scheduler.max_num_seqs"}).out, both.out);
  EXPECT_THAT(run_troupe({"explain", "chat"}).out, HasSubstr("scheduler.max_num_seqs = 256"));
}

TEST_F(PipelineCommands, ExplainGivesJson) {
  const auto one = json_of(run_troupe({"explain", "scheduler.max_num_seqs", "chat", "--json"}));
  EXPECT_EQ(*one.find("key"), Value("scheduler.max_num_seqs"));
  EXPECT_TRUE(json_of(run_troupe({"explain", "chat", "--json"})).is_array());
}

TEST_F(PipelineCommands, ExplainOfAnUnknownKeyGivesTheNearest) {
  expect_failure(run_troupe({"explain", "scheduler.max_num_seq", "chat"}), 2,
                 "scheduler.max_num_seqs");
}

TEST_F(PipelineCommands, DryRunPrintsAPipelineThatReadsBack) {
  const auto dry = run_troupe({"run", "chat", "--dry", "--set", "scheduler.max_num_seqs=7"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("max_num_seqs = 7"));
  const auto file = write_file("again.toml", dry.out);
  EXPECT_EQ(run_troupe({"run", file, "--dry"}).out, dry.out);
}

TEST_F(PipelineCommands, DryRunNeedsNoModelFile) {
  const auto dry = run_troupe({"run", "chat", "--dry", "--model", path("absent.gguf")});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("absent.gguf"));
}

TEST_F(PipelineCommands, ThreadsAndContextAreShortForKeys) {
  const auto dry = run_troupe({"run", "chat", "--dry", "--threads", "3", "--context", "64"});
  EXPECT_THAT(dry.out, HasSubstr("threads = 3"));
  EXPECT_THAT(dry.out, HasSubstr("context = 64"));
  expect_failure(run_troupe({"run", "chat", "--dry", "--threads", "-3"}), 2, "executor.threads");
}

TEST_F(PipelineCommands, InspectListsEveryKindOfPlugin) {
  const auto finished = run_troupe({"inspect"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  for (const auto* line :
       {"\nexecutor   transformer ", "\nsampler    gumbel ", "\nkv_cache   paged "})
    EXPECT_THAT(finished.out, HasSubstr(line));
}

TEST_F(PipelineCommands, InspectShowsParametersPortsTraitsAndFileOfOne) {
  const auto finished = run_troupe({"inspect", "scheduler/continuous"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  for (const auto* part : {"prefill_chunk: integer, tokens, 1 to 1048576, default 512", "StepPlan",
                           "must be wired", "deterministic true", "continuous.so", "API 1"})
    EXPECT_THAT(finished.out, HasSubstr(part));
}

TEST_F(PipelineCommands, InspectGivesJsonForOneAndForAll) {
  const auto one = json_of(run_troupe({"inspect", "gumbel", "--json"}));
  EXPECT_EQ(*one.find("kind"), Value("sampler"));
  EXPECT_TRUE(one.find("traits")->find("stateless")->as_bool());
  const auto all = json_of(run_troupe({"inspect", "--json"}));
  ASSERT_TRUE(all.is_array());
  EXPECT_GT(all.as_array().size(), 5u);
}

TEST_F(PipelineCommands, InspectOfAKindShowsThoseOfTheKindAlone) {
  const auto finished = run_troupe({"inspect", "executor"});
  EXPECT_THAT(finished.out, HasSubstr("null"));
  EXPECT_THAT(finished.out, ::testing::Not(HasSubstr("gumbel")));
}

TEST_F(PipelineCommands, InspectOfAnUnknownPluginGivesTheNearest) {
  expect_failure(run_troupe({"inspect", "gumble"}), 2, "did you mean 'gumbel'");
}

TEST_F(PipelineCommands, InspectShowsABrokenPluginBesideTheOthers) {
  std::filesystem::create_directories(path("plugins/sampler"));
  write_file("plugins/sampler/broken.so", "no library");
  const auto finished = run_troupe({"inspect", "--plugin-path", path("plugins")});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("broken           cannot be used: "));
  EXPECT_THAT(finished.out, HasSubstr("gumbel"));
}

}  // namespace
}  // namespace troupe::testing
