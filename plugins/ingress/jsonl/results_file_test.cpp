#include "results_file.h"

#include "test_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace troupe::jsonl {
namespace {
namespace fs = std::filesystem;

constexpr const char* kGood = "{\"id\":\"a\",\"text\":\"x\"}\n";

class ResultsFileTest : public TestFolder {
 protected:
  Result<std::unique_ptr<ResultsFile>> open(const std::string& name) const {
    return ResultsFile::open(path(name), path("in"));
  }

  static void add(ResultsFile& file, const char* id) {
    Value line;
    line.set("id", id);
    file.append(line);
  }

  /// It must be refused, with these words, and left as it is.
  void expect_refused(const std::string& text, std::string_view words) const {
    write("out", text);
    const auto file = open("out");
    ASSERT_FALSE(file) << text;
    EXPECT_EQ(file.error().code(), ErrorCode::invalid_argument);
    EXPECT_NE(file.error().message().find(words), std::string::npos) << file.error().message();
    EXPECT_EQ(read("out"), text);
    EXPECT_EQ(files(), 1);
  }
};

TEST_F(ResultsFileTest, KeepsGoodLinesAndDropsErrorsAndATornEnd) {
  const std::string more = "{\"custom_id\":\"o\",\"choices\":[]}\n";
  write("out", kGood + std::string("{\"id\":\"b\",\"error\":{}}\n") + more + "{\"id\":\"c\",\"te");
  fs::permissions(path("out"), fs::perms::owner_read | fs::perms::owner_write);
  auto file = open("out");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ((*file)->done(), (std::set<std::string>{"a", "o"}));
  add(**file, "n");
  EXPECT_EQ((*file)->flush(), Result<bool>(true));
  EXPECT_EQ(read("out"), kGood + more + "{\"id\":\"n\"}\n");
  EXPECT_EQ(fs::status(path("out")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1);
}

TEST_F(ResultsFileTest, EndsALastLineThatLacksOnlyItsNewline) {
  write("out", R"({"id":"a","text":"x"})");
  auto file = open("out");
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->done(), std::set<std::string>{"a"});
  EXPECT_EQ(read("out"), kGood);
}

TEST_F(ResultsFileTest, RefusesWhatNoRunOfItsOwnWrote) {
  expect_refused("some notes\nof mine\n", "line 1 is no JSON");
  expect_refused("notes", "line 1 is no JSON");
  expect_refused(std::string(kGood) + "{\"id\":\"b\",\"te\n" + kGood, "line 2 is no JSON");
  expect_refused(std::string(kGood) + "{\"id\":\"b\",\"te\n", "line 2 is no JSON");
  expect_refused("{\"precious\":\"data\"}\n", "line 1 has no id");
  expect_refused("{\"id\":\"a\",\"prompt\":\"a request\"}\n", "line 1 has none of text, choices");
  expect_refused("[1]\n", "line 1 has no id");
}

TEST_F(ResultsFileTest, RefusesTheInputAndAFolder) {
  write("in", kGood);
  fs::create_symlink(path("in"), path("link"));
  fs::create_hard_link(path("in"), path("hard"));
  for (const char* name : {"in", "link", "hard"}) {
    const auto file = open(name);
    ASSERT_FALSE(file) << name;
    EXPECT_NE(file.error().message().find("is the input as well"), std::string::npos);
  }
  EXPECT_EQ(read("in"), kGood);
  const auto folder = open(".");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message().find("found a folder"), std::string::npos);
}

TEST_F(ResultsFileTest, WritesThroughALinkAndTouchesNoNeighbour) {
  write("real", kGood + std::string("{\"id\":\"b\",\"error\":{}}\n"));
  write("real.kept", "mine");
  fs::create_symlink("real", path("out"));
  fs::create_symlink("later", path("dangling"));
  {
    auto file = open("out");
    ASSERT_TRUE(file);
    auto made = open("dangling");
    ASSERT_TRUE(made);
  }
  EXPECT_TRUE(fs::is_symlink(path("out")));
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_EQ(read("real"), kGood);
  EXPECT_EQ(read("real.kept"), "mine");
  EXPECT_TRUE(fs::is_regular_file(path("later")));
  EXPECT_EQ(files(), 5);
}

TEST_F(ResultsFileTest, IsOfOneRunAtATime) {
  write("out", kGood + std::string("{\"id\":\"b\",\"error\":{}}\n"));
  auto first = open("out");
  ASSERT_TRUE(first);
  const auto second = open("out");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::resource_exhausted);
  EXPECT_NE(second.error().message().find("another run"), std::string::npos);
  first->reset();
  EXPECT_TRUE(open("out"));
}

TEST_F(ResultsFileTest, OnlyWritesToADevice) {
  auto null = ResultsFile::open("/dev/null", "/dev/null");
  ASSERT_TRUE(null) << null.error().message();
  add(**null, "a");
  EXPECT_EQ((*null)->flush(), Result<bool>(true));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  auto full = ResultsFile::open("/dev/full", path("in"));
  ASSERT_TRUE(full);
  add(**full, "a");
  const auto written = (*full)->flush();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(), "/dev/full: cannot be written: No space left on device");
}

TEST_F(ResultsFileTest, WaitsForNoReaderOfAPipe) {
  ASSERT_EQ(::mkfifo(path("out").c_str(), 0600), 0);
  const auto alone = open("out");
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().message().find("start its reader first"), std::string::npos);
  const FileDescriptor reader(::open(path("out").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  auto file = open("out");
  ASSERT_TRUE(file);
  Value line;
  line.set("id", std::string(300'000, 'i'));
  (*file)->append(line);
  std::string got, chunk(65536, '\0');
  ASSERT_EQ((*file)->flush(), Result<bool>(false));  // a pipe holds less
  EXPECT_TRUE((*file)->pending());
  do {
    const auto count = ::read(reader.get(), chunk.data(), chunk.size());
    if (count > 0) got.append(chunk, 0, static_cast<std::size_t>(count));
    ASSERT_TRUE((*file)->flush());
  } while (got.size() < 300'009 + 1);
  EXPECT_EQ(got, "{\"id\":\"" + std::string(300'000, 'i') + "\"}\n");
  EXPECT_TRUE(fs::is_fifo(path("out")));
}

}  // namespace
}  // namespace troupe::jsonl
