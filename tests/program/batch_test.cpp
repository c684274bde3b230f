#include "program_fixture.h"
#include "troupe/core/json.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <sys/resource.h>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;

class Batch : public ProgramTest {
 protected:
  Finished batch(const std::string& input, const std::string& output) const {
    return run_troupe({"batch", input, output, "--model", model()});
  }
  static std::vector<Value> lines_of(const std::string& file) {
    std::vector<Value> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      auto json = parse_json(line);
      EXPECT_TRUE(json) << line;
      if (json) lines.push_back(std::move(*json));
    }
    return lines;
  }
};

TEST_F(Batch, AnswersPlainAndOpenAiLinesAndTellsErrorsByLine) {
  const auto input = write_file("in.jsonl",
                                R"({"id": "a", "prompt": "the cat", "max_tokens": 4}
{"custom_id": "b", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4}}
{"id": "c", "prompt": "x", "temperature": -1}
)");
  const auto finished = batch(input, path("out.jsonl"));
  EXPECT_EQ(finished.exit_code, 1) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("1 request failed"));
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(lines_of(path("out.jsonl")).size(), 3u);
}

TEST_F(Batch, RunAgainItDoesNothingTwice) {
  const auto input = write_file("in.jsonl", R"({"id": "a", "prompt": "the", "max_tokens": 3}
)");
  EXPECT_EQ(batch(input, path("out.jsonl")).exit_code, 0);
  const auto first = lines_of(path("out.jsonl"));
  EXPECT_EQ(batch(input, path("out.jsonl")).exit_code, 0);
  EXPECT_EQ(lines_of(path("out.jsonl")), first);
}

/// Lets processes that are started meanwhile write files of so many bytes at most.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(Batch, AFileThatMayNotGrowStopsItAndTheNextRunGoesOnBehindTheCutLine) {
  std::string requests;
  for (int i = 0; i < 30; ++i)
    requests +=
        R"({"id": ")" + std::to_string(i) + R"(", "prompt": "the", "max_tokens": 20})" + "\n";
  const auto input = write_file("in.jsonl", requests);
  {
    const FileSizeLimit limit(3000);
    const auto finished = batch(input, path("out.jsonl"));
    EXPECT_EQ(finished.exit_code, 1) << "signal " << finished.signal;
    EXPECT_THAT(finished.err, HasSubstr("File too large; the job stops here and can be resumed"));
  }
  EXPECT_EQ(batch(input, path("out.jsonl")).exit_code, 0);
  EXPECT_EQ(lines_of(path("out.jsonl")).size(), 30u);
}

TEST_F(Batch, AnIdThatStandsTwiceIsAnErrorInEveryRun) {
  const auto input = write_file("in.jsonl", R"({"id": "a", "prompt": "the", "max_tokens": 3}
{"id": "a", "prompt": "cat", "max_tokens": 3}
)");
  const auto finished = batch(input, path("out.jsonl"));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.err, HasSubstr("1 for an id given twice"));
  auto ids = [&] {
    std::vector<std::string> found;
    for (const auto& line : lines_of(path("out.jsonl")))
      found.push_back(line.find("id")->as_string());
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(ids(), (std::vector<std::string>{"a", "a#line-2"}));
  EXPECT_EQ(batch(input, path("out.jsonl")).exit_code, 1);
  EXPECT_EQ(ids(), (std::vector<std::string>{"a", "a#line-2"}));
}

TEST_F(Batch, TheFieldModelIsNotLookedAtWithoutARouter) {
  const auto input = write_file(
      "in.jsonl", R"({"id": "a", "prompt": "the", "max_tokens": 3, "model": "some-other"})");
  EXPECT_EQ(batch(input, path("out.jsonl")).exit_code, 0);
}

TEST_F(Batch, AnOutputThatCannotBeIsTheCallersMistake) {
  const auto input = write_file("in.jsonl", "{}\n");
  expect_failure(batch(input, path("absent/out.jsonl")), 2, "found no folder");
  expect_failure(batch(input, path(".")), 2, "found a folder");
}

TEST_F(Batch, AnInputThatIsNotThereIsTheCallersMistake) {
  expect_failure(batch(path("absent.jsonl"), path("out.jsonl")), 2, "absent.jsonl");
  expect_failure(batch(path("."), path("out.jsonl")), 2, "found a folder");
  expect_failure(run_troupe({"batch", path("absent.jsonl")}), 2, "OUT");
}

TEST_F(Batch, APipelineWithoutADoorForFilesIsRefused) {
  const auto input = write_file("in.jsonl", "{}\n");
  expect_failure(run_troupe({"batch", input, path("out.jsonl"), "--model", model(), "--pipeline",
                             "completion"}),
                 2, "found no door for files");
}

}  // namespace
}  // namespace troupe::testing
