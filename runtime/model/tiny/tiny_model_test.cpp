#include "troupe/model/tiny_model.h"

#include "troupe/model/testing/plain_forward.h"
#include "troupe/model/testing/test_files.h"
#include "troupe/model/transformer_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace troupe::model {
namespace {

using testing::open_bytes;
using testing::PlainForward;
using testing::Vector;

std::shared_ptr<const ModelFile> open_tiny(const TinyModelOptions& options = {}) {
  const auto bytes = tiny_model_bytes(options);
  if (!bytes) ADD_FAILURE() << bytes.error().message();
  auto file = open_bytes(*bytes);
  if (!file) ADD_FAILURE() << file.error().message();
  return *file;
}

std::vector<TokenId> greedy(const ModelFile& file, std::vector<TokenId> tokens,
                            std::size_t length) {
  const auto spec = read_model_spec(file).value();
  PlainForward forward(file, spec);
  Vector logits;
  for (const auto token : tokens)
    logits = forward.step(token);
  while (tokens.size() < length) {
    const auto best = std::max_element(logits.begin(), logits.begin() + spec.num_tokens);
    tokens.push_back(static_cast<TokenId>(best - logits.begin()));
    logits = forward.step(tokens.back());
  }
  return tokens;
}

TEST(TinyModel, IsAllThatTheTransformerSpecExpectsForEveryWeightType) {
  for (const auto type : {WeightType::f32, WeightType::f16, WeightType::bf16, WeightType::q8_0,
                          WeightType::q4_0, WeightType::q4_1, WeightType::q5_0, WeightType::q5_1,
                          WeightType::q4_k, WeightType::q5_k, WeightType::q6_k})
    for (const bool tied : {true, false}) {
      auto options = tiny_model_for(type);
      options.tied_embeddings = tied;
      const auto file = open_tiny(options);
      TransformerSpec spec{.model = read_model_spec(*file).value()};
      const auto fits = check_transformer(*file, spec);
      EXPECT_TRUE(fits) << to_string(type) << ": " << fits.error().message();
      EXPECT_EQ(spec.model.tied_embeddings, tied);
      EXPECT_EQ(file->tensor("blk.1.ffn_up.weight")->type, type);
      EXPECT_TRUE(spec.model.unread_keys.empty());
    }
}

TEST(TinyModel, GreedyTextIsVariedAndDependsOnThePrompt) {
  for (const bool tied : {true, false}) {
    const auto file = open_tiny({.tied_embeddings = tied});
    const auto text = greedy(*file, {1, 40, 50, 60}, 44);
    EXPECT_GE(std::set<TokenId>(text.begin(), text.end()).size(), 16u) << "tied " << tied;
    const auto other = greedy(*file, {1, 40, 50, 61}, 10);
    EXPECT_FALSE(std::equal(other.begin() + 4, other.end(), text.begin() + 4));
  }
}

TEST(TinyModel, ASlidingWindowHidesTokensAndChangesNoWeight) {
  const auto sliding = open_tiny({.sliding_window = 4});
  const auto plain = open_tiny();
  EXPECT_EQ(read_model_spec(*sliding).value().sliding_window, 4);
  EXPECT_TRUE(std::ranges::equal(sliding->tensor("blk.1.attn_q.weight")->data,
                                 plain->tensor("blk.1.attn_q.weight")->data));
  // With two layers of 4 positions each, token 0 reaches as far as position 6.
  const std::vector<TokenId> tokens{1, 40, 50, 60, 70, 80, 90, 100};
  auto other = tokens;
  other[0] = 2;
  for (const auto& file : {sliding, plain}) {
    const auto spec = read_model_spec(*file).value();
    PlainForward one(*file, spec), two(*file, spec);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      EXPECT_EQ(one.step(tokens[i]) == two.step(other[i]), file == sliding && i == 7) << i;
  }
}

TEST(TinyModel, LogitsLeaveASamplerAChoice) {
  const auto file = open_tiny();
  const auto spec = read_model_spec(*file).value();
  PlainForward forward(*file, spec);
  const auto logits = forward.step(70);
  double mean = 0;
  double squares = 0;
  for (const auto logit : logits) {
    mean += logit / static_cast<double>(logits.size());
    squares += logit * logit / static_cast<double>(logits.size());
  }
  const double deviation = std::sqrt(squares - mean * mean);
  EXPECT_GT(deviation, 1.5);
  EXPECT_LT(deviation, 4);
}

TEST(TinyModel, SameSeedSameBytesOtherSeedOtherWeights) {
  EXPECT_EQ(tiny_model_bytes({.seed = 7}).value(), tiny_model_bytes({.seed = 7}).value());
  EXPECT_NE(tiny_model_bytes({.seed = 7}).value(), tiny_model_bytes({.seed = 8}).value());
}

TEST(TinyModel, WeightsAreTheSameWhateverTheTokenizerOrTyingIs) {
  const auto tied = open_tiny();
  const auto other =
      open_tiny({.tied_embeddings = false, .tokenizer = TinyTokenizer::sentence_piece});
  const auto a = tied->tensor("blk.1.attn_q.weight")->data;
  const auto b = other->tensor("blk.1.attn_q.weight")->data;
  EXPECT_TRUE(std::ranges::equal(a, b));
}

TEST(TinyModel, EightBitWeightsGiveNearlyTheLogitsOfFloats) {
  const auto exact_file = open_tiny();
  const auto rounded_file = open_tiny({.weight_type = WeightType::q8_0});
  const auto exact_spec = read_model_spec(*exact_file).value();
  const auto rounded_spec = read_model_spec(*rounded_file).value();
  PlainForward exact(*exact_file, exact_spec);
  PlainForward rounded(*rounded_file, rounded_spec);
  const auto a = exact.step(99);
  const auto b = rounded.step(99);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 0.3);
}

TEST(TinyModel, CarriesEachRopeScaling) {
  const auto spec_of = [](TinyRopeScaling scaling) {
    return read_model_spec(*open_tiny({.rope_scaling = scaling})).value();
  };
  EXPECT_EQ(spec_of(TinyRopeScaling::none).rope.linear_factor, 1);
  EXPECT_EQ(spec_of(TinyRopeScaling::linear).rope.linear_factor, 4);
  const auto divisors = spec_of(TinyRopeScaling::llama3).rope.divisors;
  ASSERT_EQ(divisors.size(), 8u);
  EXPECT_EQ(divisors.front(), 1);
  EXPECT_EQ(divisors.back(), 4);
  EXPECT_TRUE(std::ranges::is_sorted(divisors));
}

TEST(TinyModel, PaddedRowsWouldWinIfTheyWereSampled) {
  const auto file = open_tiny({.padded_rows = 16});
  const auto spec = read_model_spec(*file).value();
  EXPECT_EQ(spec.vocab_size, spec.num_tokens + 16);
  int wins = 0;
  PlainForward forward(*file, spec);
  for (TokenId token = 100; token < 120; ++token) {
    const auto logits = forward.step(token);
    wins += std::ranges::max_element(logits) - logits.begin() >= spec.num_tokens;
  }
  EXPECT_GT(wins, 10);
}

TEST(TinyModel, RefusesSizesThatTheWeightTypeCannotStore) {
  const auto error = tiny_model_bytes({.weight_type = WeightType::q6_k}).error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_NE(error.message().find("multiples of 256"), std::string::npos) << error.message();
  EXPECT_FALSE(tiny_model_bytes({.num_layers = 0}));
  EXPECT_FALSE(tiny_model_bytes({.hidden_size = -64}));
  EXPECT_FALSE(tiny_model_bytes({.num_attention_heads = 3}));
  EXPECT_FALSE(tiny_model_bytes({.head_dim = 15}));
  EXPECT_FALSE(tiny_model_bytes({.padded_rows = -1}));
}

TEST(TinyModel, WritesAFileThatOpens) {
  const testing::TemporaryFile file("tiny.gguf");
  ASSERT_TRUE(write_tiny_model(file.path()));
  EXPECT_TRUE(open_model(file.path()));
  EXPECT_EQ(write_tiny_model("/nowhere/tiny.gguf").error().code(), ErrorCode::device);
}

}  // namespace
}  // namespace troupe::model
