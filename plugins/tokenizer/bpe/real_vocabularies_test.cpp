// Vocabularies of real models, where they are there.
#include "bpe_tokenizer.h"
#include "cpu_time.h"
#include "troupe/core/json.h"
#include "troupe/core/utf8.h"
#include "troupe/model/model_file.h"
#include "troupe/testing/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace troupe::bpe {
namespace {

using Ids = std::vector<TokenId>;

std::unique_ptr<BpeTokenizer> open_tokenizer(const std::filesystem::path& path) {
  const auto file = model::open_model(path);
  EXPECT_TRUE(file) << file.error().message();
  auto built = BpeTokenizer::build(**file, {});
  EXPECT_TRUE(built) << built.error().message();
  return std::move(*built);
}

Ids encode(const BpeTokenizer& tokenizer, std::string text, bool trusted) {
  const PromptPiece piece{std::move(text), trusted};
  return tokenizer.encode({&piece, 1}, {.add_special = false}, nullptr).value();
}

std::string decode(const BpeTokenizer& tokenizer, const Ids& ids, bool show_control = false) {
  DecodeState state;
  state.show_control = show_control;
  std::string text;
  for (const TokenId id : ids)
    tokenizer.decode(state, id, text);
  finish_utf8(state.pending, text);
  return text;
}

Ids ids_of(const Value& list) {
  Ids ids;
  for (const auto& id : list.as_array())
    ids.push_back(static_cast<TokenId>(id.as_int()));
  return ids;
}

class DefaultModel : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto path = troupe::testing::default_model_file();
    if (!path) GTEST_SKIP() << troupe::testing::kNoDefaultModel;
    tokenizer_ = open_tokenizer(*path);
  }
  std::unique_ptr<BpeTokenizer> tokenizer_;
};

TEST_F(DefaultModel, GivesTheReferenceIdsForHostileStrings) {
  std::ifstream file(TROUPE_SOURCE_DIR "/tests/data/tokenizer/smollm2.json", std::ios::binary);
  const auto cases = parse_json(std::string(std::istreambuf_iterator<char>(file), {})).value();
  ASSERT_GE(cases.as_array().size(), 500u);
  for (const auto& test : cases.as_array()) {
    const std::string text = test.find("text")->as_string();
    const Ids user = ids_of(*test.find("ids"));
    const Value* trusted = test.find("trusted_ids");
    EXPECT_EQ(encode(*tokenizer_, text, false), user) << ::testing::PrintToString(text);
    EXPECT_EQ(encode(*tokenizer_, text, true), trusted ? ids_of(*trusted) : user)
        << ::testing::PrintToString(text);
  }
}

TEST_F(DefaultModel, DecodesWhatItEncodedForEveryCharacterItCanWrite) {
  for (char32_t code = 0; code <= 0x3FFFF; code += code < 0x3000 ? 1 : 37) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    const bool complete = std::all_of(text.begin(), text.end(), [&](char c) {
      return tokenizer_->vocabulary()->byte_token(static_cast<std::uint8_t>(c)).has_value();
    });
    if (!complete) continue;
    text = "a" + text + text + " b";
    ASSERT_EQ(decode(*tokenizer_, encode(*tokenizer_, text, false)), text);
  }
}

TEST_F(DefaultModel, AddsNoBosAndEndsAtItsEndOfTurn) {
  EXPECT_FALSE(tokenizer_->adds_bos());
  const auto ends = tokenizer_->vocabulary()->end_of_generation();
  EXPECT_EQ(Ids(ends.begin(), ends.end()), (Ids{0, 2}));
  EXPECT_EQ(decode(*tokenizer_, encode(*tokenizer_, "<|im_end|>", true), true), "<|im_end|>");
}

TEST_F(DefaultModel, D01EncodesAMebibyteOfAnythingInLessThanTwoSeconds) {
  for (const auto* unit : {"a", " ", "\n", "ab", "世", "\u0301"}) {
    std::string text;
    while (text.size() < 1 << 20)
      text += unit;
    EXPECT_LT(cpu_seconds([&] { encode(*tokenizer_, text, false); }), 2)
        << ::testing::PrintToString(unit);
  }
}

TEST(TinyStories, IsReadAsSentencePiece) {
  const auto path = troupe::testing::stories_model_file();
  if (!path) GTEST_SKIP() << troupe::testing::kNoStoriesModel;
  const auto tokenizer = open_tokenizer(*path);
  EXPECT_TRUE(tokenizer->adds_bos());
  for (const auto* text :
       {"Once upon a time, there was a girl.", "  two  spaces ", "é世\U0001F600\n"})
    EXPECT_EQ(decode(*tokenizer, encode(*tokenizer, text, false)), text);
}

}  // namespace
}  // namespace troupe::bpe
