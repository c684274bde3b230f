#include "line_reader.h"

#include "file_descriptor.h"
#include "test_folder.h"

#include <fcntl.h>
#include <random>
#include <sstream>
#include <vector>

namespace troupe::jsonl {
namespace {

class LineReaderTest : public TestFolder {
 protected:
  std::vector<LineReader::Line> lines_of(const std::string& text, std::size_t max = 1000) const {
    const FileDescriptor file(::open(write("in", text).c_str(), O_RDONLY | O_CLOEXEC));
    LineReader reader(file.get(), max);
    std::vector<LineReader::Line> lines;
    for (;;) {
      while (auto line = reader.take())
        lines.push_back(std::move(*line));
      if (reader.ended()) return lines;
      EXPECT_TRUE(reader.fill());
    }
  }
};

TEST_F(LineReaderTest, GivesWhatGetlineGives) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string text;
    for (std::size_t length = random() % 300'000; text.size() < length;)
      text += random() % 3 ? std::string(random() % 40'000, 'a') : "\n";
    std::istringstream in(text);
    const auto lines = lines_of(text, 1 << 20);
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
      ASSERT_LT(count, lines.size());
      ASSERT_EQ(lines[count].text, line);
      ASSERT_EQ(lines[count].number, static_cast<std::int64_t>(count + 1));
      ASSERT_EQ(lines[count].whole, !in.eof());
    }
    ASSERT_EQ(count, lines.size());
  }
}

TEST_F(LineReaderTest, KeepsNothingOfALineThatIsTooLong) {
  const auto lines = lines_of(
      "ab\nabc\nabcd\n" + std::string(500'000, 'x') + "\n\nxyz\n" + std::string(99, 'y'), 3);
  ASSERT_EQ(lines.size(), 7u);
  const bool too_long[] = {false, false, true, true, false, false, true};
  const std::string_view texts[] = {"ab", "abc", "", "", "", "xyz", ""};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].too_long, too_long[i]) << i;
    EXPECT_EQ(lines[i].text, texts[i]) << i;
    EXPECT_EQ(lines[i].number, static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(lines[i].whole, i < 6);
  }
}

TEST_F(LineReaderTest, TellsAFileThatCannotBeRead) {
  LineReader reader(-1, 10);
  const auto filled = reader.fill();
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().message(), "cannot be read: Bad file descriptor");
}

}  // namespace
}  // namespace troupe::jsonl
