// Signals end the program whatever its streams are stuck on.
#include "program_fixture.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace troupe::testing {
namespace {

using std::chrono::milliseconds;

constexpr auto kSoon = std::chrono::seconds(5);  // not a time limit: the mistake was: never

class Signals : public ProgramTest {
 protected:
  std::vector<std::string> endless() const {
    return {"run", endless_pipeline(), "--temperature", "0", "--prompt", "x"};
  }
  std::string shell_words() const {
    return std::string(TROUPE_BINARY_DIR) + "/bin/troupe run " + endless_pipeline() +
           " --temperature 0 --prompt x";
  }
};

TEST_F(Signals, EndAChatWhoseInputStaysOpenAndSaysNothing) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Process process({"chat", "--model", model(), "--max-tokens", "4"});
    process.write("the cat\n");
    ASSERT_TRUE(process.wait_for("\n")) << process.err();
    usleep(100000);  // for the program to wait for the next line
    process.send_signal(signal);
    EXPECT_TRUE(process.ends_unread(kSoon)) << strsignal(signal);
    EXPECT_EQ(process.wait(milliseconds(1)).exit_code, 0);
  }
}

TEST_F(Signals, TheSecondOneEndsARunWhoseReaderHasStopped) {
  Process process(endless());
  process.close_input();
  ASSERT_TRUE(process.wait_until_output_is_stuck());
  process.send_signal(SIGTERM);
  process.send_signal(SIGINT);  // another one: two of a kind may become one
  EXPECT_TRUE(process.ends_unread(kSoon));
  const auto finished = process.wait(milliseconds(100));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(finished.signal, 0);
}

TEST_F(Signals, AStoppedReaderThatGoesOnGetsTheAnswersEnd) {
  Process process(endless());
  process.close_input();
  ASSERT_TRUE(process.wait_until_output_is_stuck());
  process.send_signal(SIGTERM);
  const auto finished = process.wait();
  EXPECT_EQ(finished.exit_code, 1) << finished.err;
  EXPECT_TRUE(finished.out.ends_with("C\n"));
}

TEST_F(Signals, ACancelledRunFailsWithJsonToo) {
  auto words = endless();
  words.push_back("--json");
  // Nothing is printed that says when it answers: on a busy machine it is still loading at first.
  for (const int delay_ms : {300, 1000, 4000}) {
    Process process(words);
    process.close_input();
    usleep(static_cast<unsigned>(delay_ms) * 1000);
    process.send_signal(SIGINT);
    const auto finished = process.wait();
    if (finished.out.empty()) continue;
    EXPECT_EQ(finished.exit_code, 1) << finished.err;
    EXPECT_EQ(*json_of(finished).find("finish_reason"), Value("cancelled"));
    return;
  }
  FAIL() << "it never got to answer";
}

int exit_code_of_shell(const std::string& command) {
  return WEXITSTATUS(std::system(("bash -c '" + command + "'").c_str()));
}

TEST_F(Signals, SigpipeEndsARunAndSoDoesAClosedPipeWhereItIsIgnored) {
  const auto pipeline = shell_words() + " 2> /dev/null | head -c 10 > /dev/null; ";
  EXPECT_EQ(exit_code_of_shell("trap \"\" PIPE; timeout 20 " + pipeline + "exit ${PIPESTATUS[0]}"),
            1);
  // The test may have been started with the signal ignored, which a shell cannot undo.
  const int code = exit_code_of_shell("timeout 20 " + pipeline + "exit ${PIPESTATUS[0]}");
  EXPECT_TRUE(code == 1 || code == 128 + SIGPIPE) << code;
}

}  // namespace
}  // namespace troupe::testing
