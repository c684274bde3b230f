#include "troupe/core/stop_strings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

using Texts = std::vector<std::string>;

StopStrings::State read(const StopStrings& strings, std::string_view text) {
  auto state = StopStrings::kStart;
  for (const char c : text)
    state = strings.next(state, static_cast<std::uint8_t>(c));
  return state;
}

TEST(StopStrings, FallBackToTheLongestBeginningThatIsStillAlive) {
  const auto strings = StopStrings::build(Texts{"abab", "bc"}).value();
  EXPECT_EQ(strings.depth(read(strings, "aba")), 3u);
  EXPECT_EQ(strings.depth(read(strings, "abaa")), 1u);
  EXPECT_EQ(strings.depth(read(strings, "xyz")), 0u);
  EXPECT_EQ(strings.match(read(strings, "abc")), 1u);
  EXPECT_EQ(strings.match(read(strings, "ababab")), 0u);
}

TEST(StopStrings, FindAShortStringInsideTheBeginningOfALongOne) {
  const auto strings = StopStrings::build(Texts{"xaby", "a"}).value();
  EXPECT_EQ(strings.match(read(strings, "xa")), 1u);
  EXPECT_EQ(strings.match(read(strings, "x")), StopStrings::kNone);
}

TEST(StopStrings, ReadBytesAboveAsciiAndZero) {
  const auto strings = StopStrings::build(Texts{std::string("\0\xFF", 2), "é"}).value();
  EXPECT_EQ(strings.match(read(strings, std::string("a\0\xFF", 3))), 0u);
  EXPECT_EQ(strings.match(read(strings, "café")), 1u);
  EXPECT_EQ(strings.length(1), 2u);
}

TEST(StopStrings, RefusesWhatCannotStopOrIsTooMuch) {
  const auto error = [](const Texts& strings) {
    const auto built = StopStrings::build(strings);
    return built ? std::string() : built.error().message();
  };
  EXPECT_EQ(error({"a", ""}), "stop[1]: an empty string stops nothing; leave it out");
  EXPECT_EQ(error(Texts(257, "x")), "stop: 257 strings, at most 256 are allowed");
  EXPECT_EQ(error({std::string(65537, 'x')}),
            "stop: the strings have more than 65536 bytes in all, which is the limit");
  EXPECT_EQ(error({std::string(65536, 'x')}), "");
}

}  // namespace
}  // namespace troupe
