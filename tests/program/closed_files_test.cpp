// Programs are started with standard files closed: by daemons, by careless scripts.
#include "program_fixture.h"
#include "troupe/core/json.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;

class ClosedFiles : public ProgramTest {
 protected:
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  int shell(const std::string& words) const {
    const auto command = "timeout 30 " TROUPE_BINARY_DIR "/bin/troupe " + words;
    return WEXITSTATUS(std::system(command.c_str()));
  }
};

TEST_F(ClosedFiles, ABatchsResultsHoldNothingButResults) {
  write_file("in.jsonl",
             "{\"id\": \"a\", \"prompt\": \"the\", \"max_tokens\": 3}\n"
             "{\"id\": \"b\", \"prompt\": \"cat\", \"max_tokens\": 3}\n");
  const auto words = "batch " + path("in.jsonl") + " " + path("out.jsonl") + " --model " + model();
  EXPECT_EQ(shell(words + " <&- >&- 2>&-"), 0);
  std::istringstream lines(text_of("out.jsonl"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(parse_json(line)) << line;
  EXPECT_EQ(count, 2);
}

TEST_F(ClosedFiles, AnAnswerThatGoesNowhereIsAFailure) {
  const auto words = "run --model " + model() + " --max-tokens 3 --temperature 0 --prompt the";
  EXPECT_EQ(shell(words + " >&- 2> " + path("err")), 1);
  EXPECT_THAT(text_of("err"), HasSubstr("standard output"));
}

TEST_F(ClosedFiles, AClosedInputIsNotAnEmptyPrompt) {
  EXPECT_EQ(shell("run --model " + model() + " <&- > " + path("out") + " 2> " + path("err")), 1);
  EXPECT_EQ(text_of("out"), "");
  EXPECT_THAT(text_of("err"), HasSubstr("standard input"));
}

TEST_F(ClosedFiles, MessagesMayBeClosed) {
  EXPECT_EQ(shell("run --model " + model() +
                  " --max-tokens 3 --temperature 0 --prompt the 2>&- > " + path("out")),
            0);
  EXPECT_NE(text_of("out"), "");
}

}  // namespace
}  // namespace troupe::testing
