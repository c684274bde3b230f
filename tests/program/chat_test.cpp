#include "program_fixture.h"

#include <gmock/gmock.h>

#include <csignal>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;

class Chat : public ProgramTest {
 protected:
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"chat", "--model", model(), "--max-tokens", "6"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(Chat, AnswersEachLineOfItsInputAndEndsWithIt) {
  const auto finished = run_troupe(words({"--seed", "1"}), "the cat\n\nthe dog\n");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_GE(std::count(finished.out.begin(), finished.out.end(), '\n'), 2);
  EXPECT_EQ(finished.err.find("error"), std::string::npos) << finished.err;
}

TEST_F(Chat, RemembersWhatWasSaidUntilItIsReset) {
  // The second answer depends on the first question: greedy answers differ.
  const auto greedy = words({"--temperature", "0"});
  const auto together = run_troupe(greedy, "the cat and the dog\nthe\n").out;
  const auto apart = run_troupe(greedy, "the cat and the dog\n/reset\nthe\n").out;
  const auto alone = run_troupe(greedy, "the\n").out;
  EXPECT_TRUE(apart.ends_with(alone));
  EXPECT_NE(together, apart);
}

TEST_F(Chat, CommandsAnswerOnStandardError) {
  const auto finished =
      run_troupe(words(), "/help\n/system Be brief.\n/nonsense\n/exit\nthe cat\n");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, HasSubstr("/reset"));
  EXPECT_THAT(finished.err, HasSubstr("found no command /nonsense"));
}

TEST_F(Chat, AMessageThatDoesNotFitIsTakenBackAndTheNextIsAnswered) {
  std::string text;
  for (int i = 0; i < 1500; ++i)
    text += "zq ";
  const auto finished = run_troupe(words(), text + "\nthe\n");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.err, HasSubstr("512"));
  EXPECT_NE(finished.out, "");
}

TEST_F(Chat, OnATerminalCtrlDEndsIt) {
  Process process(words(), Process::Terminal::yes);
  ASSERT_TRUE(process.wait_for("> ")) << process.out();
  process.write("the cat\n");
  // The prompt of the next line, not the editor drawing this one again.
  ASSERT_TRUE(process.wait_for("\n> ")) << process.out();
  process.write("\x04");
  const auto finished = process.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished.out;
}

TEST_F(Chat, OnATerminalCtrlCGivesUpTheLineAndNotTheProgram) {
  Process process(words(), Process::Terminal::yes);
  ASSERT_TRUE(process.wait_for("> ")) << process.out();
  process.write("half a line");
  ASSERT_TRUE(process.wait_for("half a line"));
  process.write("\x03");
  ASSERT_TRUE(process.wait_for("\n> ")) << process.out();
  process.write("/exit\n");
  EXPECT_EQ(process.wait().exit_code, 0);
}

TEST_F(Chat, OnATerminalCtrlCStopsAnEndlessAnswerAndTheNextLineIsTaken) {
  Process process({"chat", endless_pipeline(), "--temperature", "0"}, Process::Terminal::yes);
  ASSERT_TRUE(process.wait_for("> ")) << process.out();
  process.write("x\n");
  ASSERT_TRUE(process.wait_for("CCC")) << process.out();
  process.write("\x03");
  ASSERT_TRUE(process.wait_for("(stopped)"));
  process.write("/exit\n");
  EXPECT_EQ(process.wait().exit_code, 0);
}

TEST_F(Chat, KeepsCharactersOutsideAsciiWholeOnATerminal) {
  Process process(words(), Process::Terminal::yes);
  ASSERT_TRUE(process.wait_for("> "));
  process.write("/n\xc3\xb6p\n");
  EXPECT_TRUE(process.wait_for("found no command /n\xc3\xb6p")) << process.out();
  process.write("/exit\n");
  EXPECT_EQ(process.wait().exit_code, 0);
}

}  // namespace
}  // namespace troupe::testing
