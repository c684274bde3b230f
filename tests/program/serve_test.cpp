#include "program_fixture.h"

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace troupe::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class Serve : public ProgramTest {
 protected:
  std::vector<std::string> words() const {
    return {"serve", "serve", "--model", model(), "--set", "zmq.bind=ipc://" + path("door.ipc")};
  }
};

TEST_F(Serve, SaysWhereItListensAndThenThatItIsReady) {
  Process process(words());
  ASSERT_TRUE(process.wait_for("ready\n")) << process.err();
  EXPECT_THAT(process.out(), HasSubstr("zmq: "));
  EXPECT_THAT(process.out(), HasSubstr("door.ipc"));
  process.send_signal(SIGTERM);
  const auto finished = process.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.signal, 0);
}

TEST_F(Serve, EndsOnSigintToo) {
  Process process(words());
  ASSERT_TRUE(process.wait_for("ready\n")) << process.err();
  process.send_signal(SIGINT);
  EXPECT_EQ(process.wait().exit_code, 0);
}

TEST_F(Serve, WritesWhatItsOperatorsCount) {
  auto with_metrics = words();
  with_metrics.insert(with_metrics.end(), {"--metrics-file", path("troupe.prom")});
  Process process(with_metrics);
  ASSERT_TRUE(process.wait_for("ready\n")) << process.err();
  std::string text;
  for (int i = 0; i < 2000 && text.empty(); ++i) {
    usleep(10000);
    std::stringstream read;
    read << std::ifstream(path("troupe.prom")).rdbuf();
    text = read.str();
  }
  EXPECT_THAT(text, HasSubstr("troupe_blocks_used{operator=\"kv_cache\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("troupe_book_failures{operator=\"kv_cache\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("troupe_preemptions{operator=\"scheduler\"} 0\n"));
  process.send_signal(SIGTERM);
  EXPECT_EQ(process.wait().exit_code, 0);
}

TEST_F(Serve, AMetricsFileThatCannotBeWrittenIsToldOnceAndStopsNothing) {
  auto with_metrics = words();
  with_metrics.insert(with_metrics.end(), {"--metrics-file", path("none/troupe.prom")});
  Process process(with_metrics);
  ASSERT_TRUE(process.wait_for("none/troupe.prom: No such file or directory")) << process.err();
  process.send_signal(SIGTERM);
  EXPECT_EQ(process.wait().exit_code, 0);
}

TEST_F(Serve, IdleItEndsWithinASecond) {
  Process process(words());
  ASSERT_TRUE(process.wait_for("ready\n")) << process.err();
  const auto begin = std::chrono::steady_clock::now();
  process.send_signal(SIGTERM);
  EXPECT_EQ(process.wait().exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(1000));
}

TEST_F(Serve, ASignalAtAnyTimeWhileItStartsEndsItWithinASecond) {
  for (int delay_ms = 0; delay_ms < 60; delay_ms += 6) {
    Process process(words());
    usleep(static_cast<unsigned>(delay_ms) * 1000);
    const auto begin = std::chrono::steady_clock::now();
    process.send_signal(SIGTERM);
    const auto finished = process.wait();
    // Before the program has set up its own handling, the signal itself ends it.
    EXPECT_TRUE(finished.exit_code == 0 || finished.signal == SIGTERM)
        << "after " << delay_ms << " ms: " << finished.exit_code << finished.err;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(1000));
  }
}

TEST_F(Serve, APortThatIsTakenIsAClearFailure) {
  Process first({"serve", "serve", "--model", model(), "--set", "zmq.bind=tcp://127.0.0.1:*"});
  ASSERT_TRUE(first.wait_for("ready\n")) << first.err();
  const auto& out = first.out();
  const auto at = out.find("tcp://");
  const auto endpoint = out.substr(at, out.find_first_of(" \n", at) - at);
  const auto second =
      run_troupe({"serve", "serve", "--model", model(), "--set", "zmq.bind=" + endpoint});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_THAT(second.err, HasSubstr(endpoint));
}

TEST_F(Serve, APipelineThatNothingCouldReachIsRefused) {
  const auto finished = run_troupe({"serve", "chat", "--model", model()});
  expect_failure(finished, 2, "found no door that listens");
  EXPECT_THAT(finished.err, HasSubstr("'serve'"));
}

TEST_F(Serve, NeedsAPipelineAndASensibleLimit) {
  expect_failure(run_troupe({"serve"}), 2, "PIPELINE");
  expect_failure(run_troupe({"serve", "chat", "--drain-s", "-1"}), 2, "--drain-s");
}

}  // namespace
}  // namespace troupe::testing
