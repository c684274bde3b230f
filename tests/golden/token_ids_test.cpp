// Token ids of the hostile corpus, against Hugging Face's tokenizers and Google's sentencepiece.
#include "golden_model.h"
#include "troupe/api/tokenizer.h"

#include <gtest/gtest.h>

namespace troupe::golden {
namespace {

class TokenIds : public ::testing::TestWithParam<GoldenModel> {
 protected:
  void SetUp() override {
    auto golden = read_golden_tokens(GetParam().fixture(".tokens.json"));
    ASSERT_TRUE(golden) << golden.error().message();
    golden_ = std::move(*golden);
    const auto file = GetParam().locate();
    if (!file) GTEST_SKIP() << GetParam().absence;
    auto resources = resources_for(*file, golden_.model);
    ASSERT_TRUE(resources) << resources.error().message();
    resources_ = std::move(*resources);
    tokenizer_ = start({});
    ASSERT_TRUE(tokenizer_);
  }

  std::shared_ptr<Tokenizer> start(Value::Object params) {
    params.emplace_back("model", "main");
    auto started = start_plugin(OperatorKind::tokenizer, "bpe", params, *resources_);
    if (!started) ADD_FAILURE() << started.error().message();
    return started ? std::dynamic_pointer_cast<Tokenizer>(*started) : nullptr;
  }

  Result<std::vector<TokenId>> encode(const std::string& text, bool trusted) const {
    const PromptPiece piece{text, trusted};
    return tokenizer_->encode({&piece, 1}, {.add_special = false});
  }

  GoldenTokens golden_;
  std::shared_ptr<testing::FakeResources> resources_;
  std::shared_ptr<Tokenizer> tokenizer_;
};

TEST_P(TokenIds, OfContentEqualTheOraclesAndHoldNoControlToken) {
  for (const TokenCase& golden : golden_.cases) {
    const auto ids = encode(golden.text, false);
    ASSERT_TRUE(ids) << golden.name << ": " << ids.error().message();
    EXPECT_EQ(*ids, golden.ids) << golden.name;
    for (const TokenId id : *ids)
      EXPECT_FALSE(tokenizer_->tokens()->is_control(id)) << golden.name << ": " << id;
  }
}

TEST_P(TokenIds, OfTrustedTextEqualTheOraclesWithItsControlTokens) {
  for (const TokenCase& golden : golden_.cases) {
    if (!golden.has_special_ids) continue;
    const auto ids = encode(golden.text, true);
    ASSERT_TRUE(ids) << golden.name << ": " << ids.error().message();
    EXPECT_EQ(*ids, golden.special_ids) << golden.name;
  }
}

TEST_P(TokenIds, OfTextWithAByteTheVocabularyLacksAreRefusedWhenAskedFor) {
  tokenizer_ = start({{"missing_bytes", "refuse"}});
  ASSERT_TRUE(tokenizer_);
  for (const TokenCase& golden : golden_.cases) {
    const auto ids = encode(golden.text, false);
    ASSERT_EQ(ids.has_value(), golden.is_expressible) << golden.name;
    if (!ids) {
      EXPECT_EQ(ids.error().code(), ErrorCode::invalid_argument) << golden.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TokenIds, ::testing::ValuesIn(kGoldenModels),
                         [](const auto& info) {
                           return std::string(info.param.stem.substr(0, 7));
                         });

}  // namespace
}  // namespace troupe::golden
