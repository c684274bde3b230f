#include "troupe/model/dequantize.h"
#include "troupe/model/testing/plain_forward.h"
#include "troupe/model/testing/test_files.h"
#include "troupe/model/transformer_spec.h"
#include "troupe/model/weight_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

// Two real checkpoints, when they are there.
namespace troupe::model {
namespace {

std::shared_ptr<const ModelFile> open(const std::filesystem::path& path) {
  auto file = open_model(path);
  if (!file) ADD_FAILURE() << file.error().message();
  return file.value_or(nullptr);
}

#define SKIP_WITHOUT(path)                                             \
  if (!std::filesystem::exists(path))                                  \
  GTEST_SKIP() << "no model at " << (path) << "; TROUPE_TEST_DATA or " \
               << "TROUPE_TEST_MODEL may name another place"

TEST(RealModels, Stories260KIsWhatItsMakersSay) {
  SKIP_WITHOUT(testing::stories260k());
  const auto file = open(testing::stories260k());
  TransformerSpec spec{.model = read_model_spec(*file).value()};
  EXPECT_TRUE(check_transformer(*file, spec));
  EXPECT_EQ(spec.model.hidden_size, 64);
  EXPECT_EQ(spec.model.intermediate_size, 172);
  EXPECT_EQ(spec.model.num_layers, 5);
  EXPECT_EQ(spec.model.num_attention_heads, 8);
  EXPECT_EQ(spec.model.num_kv_heads, 4);
  EXPECT_EQ(spec.model.head_dim, 8);
  EXPECT_EQ(spec.model.vocab_size, 512);
  EXPECT_EQ(spec.model.context_length, 512);
  EXPECT_EQ(spec.model.rope.theta, 10000);
  EXPECT_FALSE(spec.model.tied_embeddings);
}

TEST(RealModels, Stories260KTellsAStory) {
  SKIP_WITHOUT(testing::stories260k());
  const auto file = open(testing::stories260k());
  const auto spec = read_model_spec(*file).value();
  const auto tokens = file->find_strings("tokenizer.ggml.tokens").value();
  testing::PlainForward forward(*file, spec);
  std::string text;
  TokenId token = 1;  // bos
  for (int i = 0; i < 24; ++i) {
    const auto logits = forward.step(token);
    token = static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
    text += tokens[static_cast<std::size_t>(token)];
  }
  // "▁" stands for a space.
  EXPECT_TRUE(text.starts_with("▁Once▁upon▁a▁time,▁there▁was▁a▁little▁girl")) << text;
}

TEST(RealModels, SmolLM2IsWhatItsMakersSay) {
  SKIP_WITHOUT(testing::smollm2());
  const auto file = open(testing::smollm2());
  TransformerSpec spec{.model = read_model_spec(*file).value()};
  EXPECT_TRUE(check_transformer(*file, spec));
  EXPECT_EQ(spec.model.architecture, "llama");
  EXPECT_EQ(spec.model.hidden_size, 576);
  EXPECT_EQ(spec.model.intermediate_size, 1536);
  EXPECT_EQ(spec.model.num_layers, 30);
  EXPECT_EQ(spec.model.num_attention_heads, 9);
  EXPECT_EQ(spec.model.num_kv_heads, 3);
  EXPECT_EQ(spec.model.head_dim, 64);
  EXPECT_EQ(spec.model.vocab_size, 49152);
  EXPECT_EQ(spec.model.num_tokens, 49152);
  EXPECT_EQ(spec.model.context_length, 8192);
  EXPECT_EQ(spec.model.rope.theta, 100000);
  EXPECT_TRUE(spec.model.tied_embeddings);
  EXPECT_EQ(spec.model.num_parameters, 134515008);
  EXPECT_TRUE(spec.model.unread_keys.empty());
}

TEST(RealModels, SmolLM2OpensInMillisecondsAndItsWeightsAreFinite) {
  SKIP_WITHOUT(testing::smollm2());
  const auto begin = std::clock();
  const auto file = open(testing::smollm2());
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 1);  // processor time
  for (const auto& tensor : file->tensors()) {
    const auto columns = tensor.shape.back();
    std::vector<float> row(static_cast<std::size_t>(columns));
    dequantize_row(tensor.type, tensor.data.data(), row.data(), columns);
    for (const auto value : row)
      ASSERT_LT(std::fabs(value), 100) << tensor.name;
  }
}

}  // namespace
}  // namespace troupe::model
