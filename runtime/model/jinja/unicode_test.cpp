#include "troupe/model/jinja/unicode.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe::model::jinja {
namespace {

TEST(Unicode, ReadsCharactersOfEveryLength) {
  EXPECT_EQ(character_at("a", 0).code, U'a');
  EXPECT_EQ(character_at("é", 0).code, U'é');
  EXPECT_EQ(character_at("日", 0).size, 3u);
  EXPECT_EQ(character_at("🙂", 0).code, U'🙂');
}

TEST(Unicode, TakesEachInvalidByteAsOneCharacter) {
  for (const std::string bytes :
       {"\x80", "\xC0\x80", "\xE6\x97", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(character_at(bytes, 0).size, 1u);
    EXPECT_GT(character_at(bytes, 0).code, 0x10FFFFu);
    EXPECT_EQ(character_count(bytes), bytes.size());
  }
}

TEST(Unicode, WritesWhatItReads) {
  for (const char32_t code :
       {U'\x7F', U'\x80', U'\x7FF', U'\x800', U'\xFFFF', U'\x10000', U'\x10FFFF'}) {
    const auto bytes = utf8(code);
    EXPECT_EQ(character_at(bytes, 0).code, code);
    EXPECT_EQ(character_at(bytes, 0).size, bytes.size());
  }
}

TEST(Unicode, FindsCharactersByTheirIndex) {
  EXPECT_EQ(byte_offset("aé日b", 0), 0u);
  EXPECT_EQ(byte_offset("aé日b", 2), 3u);
  EXPECT_EQ(byte_offset("aé日b", 3), 6u);
  EXPECT_EQ(byte_offset("aé日b", 99), 7u);
}

TEST(Unicode, KnowsPythonsWhiteSpace) {
  for (const char32_t code : {U' ', U'\t', U'\n', U'\x1C', U'\x85', U'\xA0', U'\x2003', U'\x3000'})
    EXPECT_TRUE(is_space(code));
  for (const char32_t code : {U'a', U'\x200B', U'\xFEFF', U'\0'})
    EXPECT_FALSE(is_space(code));
}

TEST(Unicode, MapsCaseBeyondAscii) {
  EXPECT_EQ(to_upper(U'é'), "É");
  EXPECT_EQ(to_lower(U'Я'), "я");
  EXPECT_EQ(to_upper(U'ß'), "SS");
  EXPECT_EQ(to_title(U'ß'), "Ss");
  EXPECT_EQ(to_upper(U'日'), "日");
  EXPECT_TRUE(is_upper(U'Ä') && is_lower(U'ä') && is_alpha(U'日'));
}

}  // namespace
}  // namespace troupe::model::jinja
