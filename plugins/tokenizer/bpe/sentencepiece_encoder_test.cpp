#include "sentencepiece_encoder.h"

#include "troupe/core/utf8.h"
#include "vocabulary_fixture.h"

#include <gtest/gtest.h>

#include <random>

namespace troupe::bpe {
namespace {

using Texts = std::vector<std::string>;

/// An encoder with its vocabulary, which shows ids as the file writes them.
struct Fixture {
  explicit Fixture(const VocabularyFile& source)
      : file(source), vocabulary(model::Vocabulary::read(file).value()) {
    auto built = SentencepieceEncoder::build(file, vocabulary);
    if (built)
      encoder = std::move(*built);
    else
      error = built.error().message();
  }

  Texts encode(std::string_view text) {
    std::vector<TokenId> ids;
    EXPECT_TRUE(encoder->encode(text, workspace, nullptr, ids));
    Texts texts;
    for (const TokenId id : ids)
      texts.emplace_back(
          file.find_strings("tokenizer.ggml.tokens").value()[static_cast<std::size_t>(id)]);
    return texts;
  }

  const VocabularyFile& file;
  std::shared_ptr<const model::Vocabulary> vocabulary;
  std::unique_ptr<SentencepieceEncoder> encoder;
  std::string error;
  Workspace workspace;
};

SentencepieceFile small_file(bool with_bytes = true) {
  SentencepieceFile file(with_bytes);
  file.add_pieces({"▁H", "el", "lo", "▁Hel", "▁Hello", "▁▁", "▁", "H", "e", "l", "o"});
  return file;
}

TEST(SentencepieceEncoder, MergesByScoreAndPutsASpaceInFront) {
  const auto file = small_file();
  Fixture f(file);
  EXPECT_EQ(f.encode("Hello"), Texts{"▁Hello"});
  EXPECT_EQ(f.encode("Hello Hello"), (Texts{"▁Hello", "▁Hello"}));
  EXPECT_EQ(f.encode(" Hello"), (Texts{"▁", "▁Hello"}));
  EXPECT_EQ(f.encode("  el"), (Texts{"▁▁", "▁", "el"})) << "of equal scores the leftmost";
  EXPECT_EQ(f.encode(""), Texts{});
}

TEST(SentencepieceEncoder, LeavesTheSpaceOutWhereTheFileSaysSo) {
  auto file = small_file();
  file.set("add_space_prefix", false);
  Fixture f(file);
  EXPECT_EQ(f.encode("Hello"), (Texts{"H", "el", "lo"}));
  EXPECT_EQ(f.encode(" Hello"), Texts{"▁Hello"});
}

TEST(SentencepieceEncoder, RemovesExtraSpacesWhereTheFileSaysSo) {
  auto file = small_file();
  file.set("remove_extra_whitespaces", true);
  Fixture f(file);
  EXPECT_EQ(f.encode("  Hello   Hello "), (Texts{"▁Hello", "▁Hello"}));
  EXPECT_EQ(f.encode("   "), Texts{});
}

TEST(SentencepieceEncoder, TakesTheSpaceMarkForASpace) {
  const auto file = small_file();
  Fixture f(file);
  EXPECT_EQ(f.encode("▁Hello"), f.encode(" Hello"));
}

TEST(SentencepieceEncoder, D07WritesEveryCharacterByItsBytesWhenNoTokenDoes) {
  const auto file = small_file();
  Fixture f(file);
  EXPECT_EQ(f.encode("é\n"), (Texts{"▁", "<0xC3>", "<0xA9>", "<0x0A>"}));
  std::vector<TokenId> ids;
  for (char32_t code = 1; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 211) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string character;
    append_utf8(character, code);
    if (code == 0x2581) continue;  // is a space
    for (const auto& text : {character, "H" + character + "o"}) {
      ids.clear();
      ASSERT_TRUE(f.encoder->encode(text, f.workspace, nullptr, ids));
      std::string decoded;
      for (const TokenId id : ids) {
        ASSERT_NE(id, 0) << "the unknown token";
        decoded += f.vocabulary->bytes(id);
      }
      ASSERT_EQ(decoded, " " + text);
    }
  }
}

TEST(SentencepieceEncoder, D05IllFormedBytesBecomeByteTokens) {
  const auto file = small_file();
  Fixture f(file);
  EXPECT_EQ(f.encode("\xE6\xAD"), (Texts{"▁", "<0xE6>", "<0xAD>"}));
  EXPECT_EQ(f.encode("\xFFH"), (Texts{"▁", "<0xFF>", "H"}));
  EXPECT_EQ(f.encode("\xC0\x80"), (Texts{"▁", "<0xC0>", "<0x80>"}));
}

TEST(SentencepieceEncoder, WithoutByteTokensARunOfUnknownCharactersIsOneUnknownToken) {
  const auto file = small_file(false);
  Fixture f(file);
  EXPECT_EQ(f.encode("éüHoé"), (Texts{"▁", "<unk>", "H", "o", "<unk>"}));
  EXPECT_EQ(f.encode("éü"), (Texts{"▁", "<unk>"})) << "the same again, now out of the cache";
}

TEST(SentencepieceEncoder, D07FindsMissingByteTokensAtLoad) {
  SentencepieceFile some(false);
  some.add("<0x0A>", model::TokenType::byte);
  EXPECT_EQ(Fixture(some).error,
            "tokenizer.ggml.tokens: only 1 of the 256 byte tokens <0x00> to <0xFF> are there");
  SentencepieceFile none(false);
  none.remove("unknown_token_id");
  EXPECT_EQ(Fixture(none).error,
            "tokenizer.ggml.tokens: there are no byte tokens (<0x00> to <0xFF>), and no "
            "tokenizer.ggml.unknown_token_id to stand for what no token can write");
}

TEST(SentencepieceEncoder, RefusesACharacterMap) {
  auto file = small_file();
  file.set("precompiled_charsmap", std::vector<std::int64_t>{1, 2, 3});
  EXPECT_EQ(Fixture(file).error,
            "tokenizer.ggml.precompiled_charsmap: normalisation by a character map is not "
            "supported; convert the model without one");
}

TEST(SentencepieceEncoder, WritesCharactersThatAreNoTokensByTheirBytesUnlessTheyMerge) {
  SentencepieceFile file;
  file.add_pieces({"xy", "▁"});
  Fixture f(file);
  EXPECT_EQ(f.encode("xy"), (Texts{"▁", "xy"}));
  EXPECT_EQ(f.encode("yx"), (Texts{"▁", "<0x79>", "<0x78>"}));
}

TEST(SentencepieceEncoder, MakesUserDefinedTokensByMergingToo) {
  auto file = small_file();
  file.add("▁▁▁", model::TokenType::user_defined, -100);
  Fixture f(file);
  EXPECT_EQ(f.encode(" ▁e"), (Texts{"▁▁▁", "e"})) << "the text itself holds no three spaces";
}

TEST(SentencepieceEncoder, SplittingAtWordsChangesNothing) {
  std::mt19937 random(4);
  const Texts pieces = {"▁a", "ab", "▁ab", "▁▁", "▁▁▁", "ba", "▁b", "bab", "▁", "a", "b"};
  SentencepieceFile apart, across;
  apart.add_pieces(pieces);
  across.add_pieces(pieces);
  // Forbid splitting, and match nothing below.
  for (const auto* text : {"a▁z", "b▁z"})
    across.add(text, model::TokenType::normal, -1000);
  Fixture split(apart), whole(across);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n)
      text += "  ab"[random() % 4];
    ASSERT_EQ(split.encode(text), whole.encode(text)) << text;
  }
}

}  // namespace
}  // namespace troupe::bpe
