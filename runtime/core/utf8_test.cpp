#include "troupe/core/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace troupe {
namespace {

using namespace std::string_literals;

const std::string kBad = "\xEF\xBF\xBD";

std::string repaired(std::string_view text) {
  std::string out;
  append_repaired_utf8(out, text);
  return out;
}

TEST(Utf8, WritesAndReadsEveryScalarValue) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    const auto unit = read_utf8(text, 0);
    ASSERT_TRUE(unit.valid) << std::hex << static_cast<unsigned>(code);
    ASSERT_EQ(unit.code, code);
    ASSERT_EQ(unit.length, text.size());
  }
}

TEST(Utf8, KnowsTheBoundariesOfEachLength) {
  const auto bytes_of = [](char32_t code) {
    std::string out;
    append_utf8(out, code);
    return out;
  };
  EXPECT_EQ(bytes_of(0x7F), "\x7F");
  EXPECT_EQ(bytes_of(0x80), "\xC2\x80");
  EXPECT_EQ(bytes_of(0x7FF), "\xDF\xBF");
  EXPECT_EQ(bytes_of(0x800), "\xE0\xA0\x80");
  EXPECT_EQ(bytes_of(0xFFFF), "\xEF\xBF\xBF");
  EXPECT_EQ(bytes_of(0x10000), "\xF0\x90\x80\x80");
  EXPECT_EQ(bytes_of(0x10FFFF), "\xF4\x8F\xBF\xBF");
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndValuesPastTheEnd) {
  for (const auto* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80",
                           "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\x80"})
    EXPECT_FALSE(is_utf8(text)) << testing::PrintToString(text);
}

// The examples of tables 3-8 to 3-11 of the Unicode standard.
TEST(Utf8, ReplacesMaximalSubpartsOnce) {
  EXPECT_EQ(repaired("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            kBad + kBad + kBad + kBad + kBad + kBad + kBad + kBad + "A");
  EXPECT_EQ(repaired("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            kBad + kBad + kBad + kBad + kBad + kBad + kBad + kBad + "A");
  EXPECT_EQ(repaired("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), kBad + kBad + kBad + kBad + "A");
  EXPECT_EQ(repaired("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            kBad + kBad + kBad + kBad + kBad + "A" + kBad + kBad + "B");
}

TEST(Utf8, TellsACutCharacterFromABrokenOne) {
  EXPECT_TRUE(read_utf8("\xF0\x9F\x98", 0).truncated);
  EXPECT_EQ(read_utf8("\xF0\x9F\x98", 0).length, 3);
  EXPECT_FALSE(read_utf8("\xF0\x9F\x98!", 0).truncated);
  EXPECT_FALSE(read_utf8("\xC0", 0).truncated);
}

TEST(Utf8, HoldsACharacterUntilItsLastByte) {
  std::string pending, out;
  for (const char byte : "\xF0\x9F\x98"s) {
    stream_utf8(pending, std::string(1, byte), out);
    EXPECT_EQ(out, "");
  }
  stream_utf8(pending, "\x80", out);
  EXPECT_EQ(out, "\U0001F600");
  EXPECT_TRUE(pending.empty());
}

TEST(Utf8, SendsAReplacementAsSoonAsACharacterCannotBeCompleted) {
  std::string pending, out;
  stream_utf8(pending, "\xE6\xAD", out);
  EXPECT_EQ(out, "");
  stream_utf8(pending, "'", out);
  EXPECT_EQ(out, kBad + "'");
}

TEST(Utf8, EndsAStreamWithOneReplacementForAnIncompleteCharacter) {
  std::string pending, out;
  stream_utf8(pending, "a\xF0\x9F\x98", out);
  finish_utf8(pending, out);
  EXPECT_EQ(out, "a" + kBad);
  finish_utf8(pending, out);
  EXPECT_EQ(out, "a" + kBad);
}

TEST(Utf8, StreamsEqualTheWholeHoweverTheyAreCut) {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {"a",        "é",        "\U0001F600", "\xF0\x9F",
                                          "\xE6\xAD", "\xFF",     "\xC0",       "\x80",
                                          "日本",     "\xED\xA0", " ",          "\0"s};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 8; ++i)
      text += parts[random() % parts.size()];
    std::string pending, out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t take = 1 + random() % 4;
      stream_utf8(pending, std::string_view(text).substr(at, take), out);
      ASSERT_LE(pending.size(), 3u);
      ASSERT_TRUE(is_utf8(out));
      at += take;
    }
    finish_utf8(pending, out);
    ASSERT_EQ(out, repaired(text)) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace troupe
