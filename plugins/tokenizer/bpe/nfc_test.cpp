#include "nfc.h"

#include "cpu_time.h"
#include "troupe/core/utf8.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <utf8proc.h>

namespace troupe::bpe {
namespace {

std::string nfc(std::string_view text) {
  std::string buffer;
  return std::string(to_nfc(text, buffer));
}

std::string library_nfc(const std::string& text) {
  auto* made = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
  const std::string out = reinterpret_cast<char*>(made);
  std::free(made);
  return out;
}

TEST(Nfc, ComposesDecomposedLetters) {
  EXPECT_EQ(nfc("e\u0301"), "é");
  EXPECT_EQ(nfc("xe\u0301y e\u0301"), "xéy é");
  EXPECT_EQ(nfc("a\u0323\u0302"), "ậ");
  EXPECT_EQ(nfc("a\u0302\u0323"), "ậ") << "marks in the other order";
  EXPECT_EQ(nfc("\u1100\u1161\u11A8"), "각");
  EXPECT_EQ(nfc("가\u11A8"), "각");
  EXPECT_EQ(nfc("か\u3099"), "が");
}

TEST(Nfc, ReplacesCharactersThatHaveAnotherForm) {
  EXPECT_EQ(nfc("\u212B\u2126"), "ÅΩ");
  EXPECT_EQ(nfc("x\u0340"), "x\u0300");
  EXPECT_EQ(nfc("\uF900"), "豈");
}

TEST(Nfc, LeavesNormalTextAlone) {
  for (const auto* text :
       {"", "plain", "Größe", "日本語", "한국어", "русский", "👩‍👩‍👧", "x\u0301"}) {
    EXPECT_EQ(nfc(text), text);
  }
}

TEST(Nfc, InertCharactersAreNormalStartersOfTheirOwn) {
  for (char32_t code = 1; code <= 0x1FFFF; ++code) {
    if (!is_nfc_inert(code)) continue;
    std::string text;
    append_utf8(text, code);
    ASSERT_EQ(library_nfc(text), text) << std::hex << static_cast<unsigned>(code);
    ASSERT_EQ(utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->combining_class, 0);
    // None joins an inert character before it.
    for (const char* before : {"a", "か", "가", "и"})
      ASSERT_EQ(library_nfc(before + text), before + text);
  }
}

TEST(Nfc, EqualsTheLibraryOnRandomText) {
  std::mt19937 random(9);
  const std::u32string alphabet =
      U"aeioAEO \u0300\u0301\u0302\u0323\u0327\u0316\u0345か\u3099\u309A\u1100\u1161\u11A8가각世"
      U"\u0915\u093C\u212B\u2126\uFB1D\u0344\u1E9B\u0F71\u0F72\u0F74ΑΩ\U0001D15E";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 9; ++i)
      append_utf8(text, alphabet[random() % alphabet.size()]);
    ASSERT_EQ(nfc(text), library_nfc(text)) << text;
  }
}

TEST(Nfc, D01OrdersALongRunOfMarksQuickly) {
  std::string text;
  while (text.size() < 1 << 20)
    text += "\u0301\u0316";
  std::string out;
  EXPECT_LT(cpu_seconds([&] { out = nfc(text); }), 2);
  EXPECT_EQ(out.size(), text.size());
  EXPECT_TRUE(out.starts_with("\u0316\u0316"));
}

}  // namespace
}  // namespace troupe::bpe
