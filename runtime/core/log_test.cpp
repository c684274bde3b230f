#include "troupe/core/log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace troupe {
namespace {

struct Lines {
  std::vector<std::string> lines;
  LogSink sink(LogLevel level = LogLevel::info) {
    return LogSink([this](LogLevel, std::string_view line) { lines.emplace_back(line); }, level);
  }
};

std::string after_time(const std::string& line) {
  return line.substr(line.find(' ') + 1);
}

TEST(Log, WritesTimeLevelComponentTextAndFields) {
  Lines lines;
  const auto sink = lines.sink();
  Logger(sink, "scheduler").info("request accepted", {{"request", 7}, {"choices", 2}});
  ASSERT_EQ(lines.lines.size(), 1u);
  EXPECT_EQ(after_time(lines.lines[0]), "info scheduler: request accepted request=7 choices=2");
  EXPECT_EQ(lines.lines[0].find('Z'), 23u) << lines.lines[0];
}

TEST(Log, DropsLinesBelowItsLevel) {
  Lines lines;
  const auto sink = lines.sink(LogLevel::warning);
  const Logger log(sink, "x");
  log.debug("no");
  log.info("no");
  log.warning("yes");
  log.error("yes");
  EXPECT_EQ(lines.lines.size(), 2u);
  EXPECT_FALSE(log.enabled(LogLevel::info));
  EXPECT_FALSE(log.enabled(LogLevel::off));
}

TEST(Log, ALoggerWithoutSinkWritesNothing) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  Logger().error("nowhere", {{"key", "value"}});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(Log, QuotesValuesThatCouldForgeALine) {
  Lines lines;
  const auto sink = lines.sink();
  Logger(sink, "door").info("hello", {{"client", "a b=\"c\"\nerror x: forged"}, {"empty", ""}});
  EXPECT_EQ(after_time(lines.lines[0]),
            "info door: hello client=\"a b=\\\"c\\\"\\x0aerror x: forged\" empty=\"\"");
}

TEST(Log, TwoSinksDoNotKnowOfEachOther) {
  Lines first, second;
  const auto one = first.sink();
  const auto two = second.sink();
  Logger(one, "a").info("to the first", {{"ready", true}});
  EXPECT_EQ(first.lines.size(), 1u);
  EXPECT_TRUE(second.lines.empty());
}

TEST(Log, LoggersOutliveTheirSinkObject) {
  Lines lines;
  Logger log;
  {
    const auto sink = lines.sink();
    log = Logger(sink, "late");
  }
  log.info("still heard");
  EXPECT_EQ(lines.lines.size(), 1u);
}

TEST(Log, LinesOfSeveralThreadsStayWhole) {
  Lines lines;
  const auto sink = lines.sink();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const Logger log(sink, "thread");
      for (int k = 0; k < 100; ++k)
        log.info("tick", {{"k", k}});
    });
  for (auto& thread : threads)
    thread.join();
  ASSERT_EQ(lines.lines.size(), 400u);
  for (const auto& line : lines.lines)
    EXPECT_EQ(after_time(line).rfind("info thread: tick k=", 0), 0u) << line;
}

TEST(Log, StandardErrorIsTakenOnlyOnRequest) {
  ::testing::internal::CaptureStderr();
  const auto sink = LogSink::to_stderr(LogLevel::debug);
  Logger(sink, "cli").debug("ready");
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("cli: ready\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace troupe
