#include "program_fixture.h"

#include <gmock/gmock.h>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCommands[] = {
    "run",   "chat",  "serve", "batch",   "tokenize", "detokenize", "render",     "score",
    "model", "check", "graph", "explain", "inspect",  "bench",      "completion", "version"};

class Usage : public ProgramTest {};

TEST_F(Usage, HelpListsEveryCommandOnStandardOutput) {
  const auto finished = run_troupe({"--help"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.err, "");
  for (const auto* command : kCommands)
    EXPECT_THAT(finished.out, HasSubstr(std::string("\n  ") + command + " "));
}

TEST_F(Usage, EveryCommandHasAHelpPageThatIsNoMistake) {
  for (const auto* command : kCommands) {
    const auto finished = run_troupe({command, "--help"});
    EXPECT_EQ(finished.exit_code, 0) << command;
    EXPECT_EQ(finished.err, "") << command;
    EXPECT_THAT(finished.out, HasSubstr("Usage: troupe " + std::string(command)));
  }
}

TEST_F(Usage, HelpHasNoColoursWhenItGoesToAFile) {
  EXPECT_THAT(run_troupe({"run", "--help"}).out, Not(HasSubstr("\x1b")));
}

TEST_F(Usage, VersionIsAnOptionToo) {
  EXPECT_EQ(run_troupe({"--version"}).out, run_troupe({"version"}).out);
  EXPECT_EQ(run_troupe({"--version", "--json"}).exit_code, 0);
}

TEST_F(Usage, NoCommandIsTheCallersMistake) {
  expect_failure(run_troupe({}), 2, "found no command");
}

TEST_F(Usage, AMisspeltCommandGetsTheNearestName) {
  expect_failure(run_troupe({"tokenise"}), 2, "did you mean 'tokenize'?");
}

TEST_F(Usage, AMisspeltOptionGetsTheNearestName) {
  expect_failure(run_troupe({"run", "--temprature", "1"}), 2, "did you mean '--temperature'?");
}

TEST_F(Usage, AnOptionOfAnotherCommandIsUnknown) {
  expect_failure(run_troupe({"tokenize", "--temperature", "1"}), 2, "'--temperature'");
}

TEST_F(Usage, AValueThatIsNoNumberIsNamed) {
  expect_failure(run_troupe({"run", "--top-k", "many"}), 2,
                 "--top-k: found 'many'; expected a whole number");
  expect_failure(run_troupe({"run", "--max-tokens", "1.5"}), 2, "found '1.5'");
  expect_failure(run_troupe({"run", "--seed", "-1"}), 2, "found '-1'");
  expect_failure(run_troupe({"run", "--top-k", "99999999999999999999"}), 2, "not that large");
  expect_failure(run_troupe({"run", "--temperature", ""}), 2, "found ''; expected a number");
}

TEST_F(Usage, AnOptionWithoutItsValueIsTheCallersMistake) {
  expect_failure(run_troupe({"run", "--prompt"}), 2, "--prompt");
}

TEST_F(Usage, AnOptionGivenTwiceIsRefusedAndNotSilentlyReplaced) {
  expect_failure(run_troupe({"run", "--top-k", "1", "--top-k", "2"}), 2, "--top-k");
}

TEST_F(Usage, OneArgumentTooManyIsRefused) {
  expect_failure(run_troupe({"check", "chat", "chat"}), 2, "found 'chat'");
}

TEST_F(Usage, HostileWordsEndInAMessageAndNotInACrash) {
  const std::string long_word(100000, 'x');
  const std::vector<std::vector<std::string>> hostile = {
      {long_word},
      {"--" + long_word},
      {""},
      {"run", "--set", "="},
      {"-"},
      {"--="},
      {"run", "--="},
      {"run", "--set", std::string("\xff\xfe=1")},
      {"run", "--set", long_word},
      {"check", ""},
      {"check", "\n"},
      {"model"},
      {"model", "nothing"},
      {"bench", "--steps"},
      {"graph", "chat", "--format", "[dot]"}};
  for (const auto& words : hostile) {
    const auto finished = run_troupe(words);
    EXPECT_EQ(finished.exit_code, 2) << words.back().substr(0, 40) << "\n" << finished.err;
    EXPECT_EQ(finished.out, "");
  }
}

TEST_F(Usage, AResultThatCannotBeWrittenIsAFailedRun) {
  const std::string command = TROUPE_BINARY_DIR "/bin/troupe version > /dev/full 2> /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
}

}  // namespace
}  // namespace troupe::testing
