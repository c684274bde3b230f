#include "byte_level_encoder.h"

#include "troupe/core/utf8.h"
#include "vocabulary_fixture.h"

#include <gtest/gtest.h>

namespace troupe::bpe {
namespace {

using namespace std::string_literals;
using Ids = std::vector<TokenId>;

std::unique_ptr<ByteLevelEncoder> encoder_of(const VocabularyFile& file,
                                             MissingBytes missing = MissingBytes::drop) {
  const auto rule = find_split_rule(file.get_string("tokenizer.ggml.pre").value());
  return ByteLevelEncoder::build(file, model::Vocabulary::read(file).value(), *rule, missing)
      .value();
}

Ids encode(const ByteLevelEncoder& encoder, std::string_view text) {
  Workspace workspace;
  Ids ids;
  EXPECT_TRUE(encoder.encode(text, workspace, nullptr, ids));
  return ids;
}

Ids bytes(std::string_view text) {
  Ids ids;
  for (const char c : text)
    ids.push_back(static_cast<std::uint8_t>(c));
  return ids;
}

/// A byte-level vocabulary without some of its byte tokens.
class LackingFile : public VocabularyFile {
 public:
  explicit LackingFile(std::string_view missing) {
    set("model", std::string_view("gpt2"));
    set("pre", std::string_view("gpt-2"));
    list<std::string_view>("merges");
    for (int byte = 0; byte < 256; ++byte)
      if (const auto c = static_cast<char>(byte); missing.find(c) == std::string_view::npos)
        add(model::write_alphabet(std::string(1, c)), model::TokenType::normal);
  }
};

TEST(ByteLevelEncoder, MergesInsidePiecesOnly) {
  const ByteLevelFile file("gpt-2", {{"a", "b"}, {" ", "ab"}, {"ab", "ab"}, {"ab", " ab"}});
  EXPECT_EQ(encode(*encoder_of(file), "abab ab"), (Ids{258, 257}));
}

TEST(ByteLevelEncoder, GivesTheSameFromItsCacheAsAtFirst) {
  const ByteLevelFile file("gpt-2", {{"a", "b"}, {" ", "ab"}});
  const auto encoder = encoder_of(file);
  Workspace workspace;
  Ids first, second;
  ASSERT_TRUE(encoder->encode(" ab x ab", workspace, nullptr, first));
  ASSERT_TRUE(encoder->encode(" ab x ab", workspace, nullptr, second));
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, (Ids{257, ' ', 'x', 257}));
}

TEST(ByteLevelEncoder, IgnoresMergesForAWholePieceOnlyWhereTheRuleSaysSo) {
  for (const bool ignores : {false, true}) {
    ByteLevelFile file(ignores ? "llama-bpe" : "smaug-bpe");
    const TokenId whole = file.add("abc", model::TokenType::normal);  // no merge leads to it
    EXPECT_EQ(encode(*encoder_of(file), "abc"), ignores ? Ids{whole} : bytes("abc"));
  }
}

TEST(ByteLevelEncoder, NormalisesWhereTheRuleSaysSo) {
  EXPECT_EQ(encode(*encoder_of(ByteLevelFile("qwen2")), "e\u0301"), bytes("é"));
  EXPECT_EQ(encode(*encoder_of(ByteLevelFile("gpt-2")), "e\u0301"), bytes("e\u0301"));
}

TEST(ByteLevelEncoder, D05IllFormedBytesBecomeByteTokens) {
  for (const auto* rule : {"gpt-2", "llama-bpe", "qwen2"}) {
    const auto encoder = encoder_of(ByteLevelFile(rule, {{"\xE6", "\xAD"}}));
    for (const auto& text : {"\xE6\xAD"s, "\xFF"s, "\xC0\x80"s, "a\xE6\xAD b"s, "\xF0\x9F\x98!"s})
      EXPECT_EQ(encode(*encoder, text), bytes(text)) << rule << testing::PrintToString(text);
  }
}

TEST(ByteLevelEncoder, D05IllFormedBytesWithoutATokenBecomeAReplacementCharacter) {
  const LackingFile file("\xFF\xC0");
  const auto id = [&](char c) {
    return *model::Vocabulary::read(file).value()->byte_token(static_cast<std::uint8_t>(c));
  };
  const Ids replacement = {id('\xEF'), id('\xBF'), id('\xBD')};
  const auto encoder = encoder_of(file);
  EXPECT_EQ(encode(*encoder, "\xFF"), replacement);
  EXPECT_EQ(encode(*encoder, "\xC0"), replacement);
  EXPECT_EQ(encode(*encoder, "\xFE"), Ids{id('\xFE')});
}

TEST(ByteLevelEncoder, BytesWithoutATokenAreLeftOutOrRefusedAsAsked) {
  const LackingFile file("\x04\xF1");
  EXPECT_EQ(encode(*encoder_of(file), "a\x04"), encode(*encoder_of(file), "a"));
  Workspace workspace;
  Ids ids;
  const auto refused =
      encoder_of(file, MissingBytes::refuse)->encode("ab\x04", workspace, nullptr, ids);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "the vocabulary has no token for the byte 04 at offset 2 of a piece of the prompt");
}

TEST(ByteLevelEncoder, D09RefusesAVocabularyWithoutTheBytesOfOrdinaryText) {
  const LackingFile file("a\x80\n");
  const auto built = ByteLevelEncoder::build(file, model::Vocabulary::read(file).value(),
                                             *find_split_rule("gpt-2"), MissingBytes::drop);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().message(),
            "tokenizer.ggml.tokens: there is no token for the bytes 0A 61 80, of which ordinary "
            "text is made");
}

TEST(ByteLevelEncoder, StopsWhenItIsCancelledInTheMiddle) {
  const auto encoder = encoder_of(ByteLevelFile("gpt-2"));
  const std::atomic<bool> cancelled = true;
  Workspace workspace;
  Ids ids;
  std::string words;
  for (int i = 0; i < 5000; ++i)
    words += "word ";
  for (const auto& text : {words, std::string(100000, 'a')}) {
    const auto done = encoder->encode(text, workspace, &cancelled, ids);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), ErrorCode::cancelled);
  }
}

}  // namespace
}  // namespace troupe::bpe
