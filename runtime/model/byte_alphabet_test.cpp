#include "troupe/model/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace troupe::model {
namespace {

TEST(ByteAlphabet, GivesEveryByteACharacterOfItsOwn) {
  std::set<char32_t> seen;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t code = alphabet_char(static_cast<std::uint8_t>(byte));
    EXPECT_TRUE(seen.insert(code).second);
    EXPECT_EQ(alphabet_byte(code), static_cast<std::uint8_t>(byte));
  }
}

TEST(ByteAlphabet, WritesTheCharactersThatVocabulariesUse) {
  EXPECT_EQ(write_alphabet(" the"), "Ġthe");
  EXPECT_EQ(write_alphabet("\n\t"), "Ċĉ");
  EXPECT_EQ(write_alphabet("é"), "Ã©");
  EXPECT_EQ(write_alphabet("\x7F\xA0\xAD"), "ġłŃ");
  EXPECT_EQ(write_alphabet(std::string(1, '\0')), "Ā");
}

TEST(ByteAlphabet, ReadsBackAllBytes) {
  std::string all, read;
  for (int byte = 0; byte < 256; ++byte)
    all.push_back(static_cast<char>(byte));
  ASSERT_TRUE(read_alphabet(write_alphabet(all), read));
  EXPECT_EQ(read, all);
}

TEST(ByteAlphabet, RefusesTextOutsideItAndLeavesTheOutputAlone) {
  std::string read = "x";
  for (const auto* text : {"a b", "▁", "\n", "ń", "\xFF", "ab\xC3"})
    EXPECT_FALSE(read_alphabet(text, read)) << text;
  EXPECT_EQ(read, "x");
}

}  // namespace
}  // namespace troupe::model
