#include "troupe/model/model_spec.h"

#include "troupe/model/testing/memory_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::llama_model;

/// The error of the sound model with one key changed.
Error error_with(std::string_view key, MetadataValue value) {
  auto model = llama_model();
  model.set(key, std::move(value));
  const auto spec = read_model_spec(model);
  if (spec) ADD_FAILURE() << key << " was taken";
  return spec ? Error(ErrorCode::internal, "") : spec.error();
}

TEST(ModelSpec, ReadsTheSizesOfALlamaModel) {
  auto model = llama_model();
  model.set("general.name", std::string_view("small"));
  const auto spec = read_model_spec(model).value();
  EXPECT_EQ(spec.architecture, "llama");
  EXPECT_EQ(spec.name, "small");
  EXPECT_EQ(spec.hidden_size, 32);
  EXPECT_EQ(spec.intermediate_size, 48);
  EXPECT_EQ(spec.num_layers, 2);
  EXPECT_EQ(spec.num_attention_heads, 4);
  EXPECT_EQ(spec.num_kv_heads, 2);
  EXPECT_EQ(spec.head_dim, 8);
  EXPECT_EQ(spec.vocab_size, 10);
  EXPECT_EQ(spec.num_tokens, 10);
  EXPECT_EQ(spec.context_length, 128);
  EXPECT_EQ(spec.rms_norm_eps, 1e-6);
  EXPECT_EQ(spec.rope.dims, 8);
  EXPECT_FALSE(spec.tied_embeddings);
  // Two embeddings, the last norm, and per layer: norms, q and output, k and v, the MLP.
  EXPECT_EQ(spec.num_parameters, 2 * 320 + 32 + 2 * (2 * 32 + 2 * 1024 + 2 * 512 + 3 * 1536));
}

TEST(ModelSpec, ReadsOtherArchitecturesUnderTheirOwnPrefix) {
  auto model = llama_model();
  model.set("general.architecture", std::string_view("qwen3"));
  EXPECT_THAT(read_model_spec(model).error().message(), HasSubstr("\"qwen3.context_length\""));
}

TEST(ModelSpec, NamesTheKeyThatIsAbsent) {
  for (const auto* key : {"llama.context_length", "llama.embedding_length", "llama.block_count",
                          "llama.feed_forward_length", "llama.attention.head_count",
                          "llama.attention.layer_norm_rms_epsilon", "general.architecture"}) {
    auto model = llama_model();
    model.erase(key);
    const auto error = read_model_spec(model).error();
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_EQ(error.message(), std::string("the file has no metadata key \"") + key + "\"");
  }
}

TEST(ModelSpec, RefusesSizesThatAreNoneOrAbsurd) {
  for (const auto* key :
       {"llama.context_length", "llama.embedding_length", "llama.block_count",
        "llama.feed_forward_length", "llama.attention.head_count", "llama.attention.head_count_kv",
        "llama.attention.key_length", "llama.vocab_size"})
    for (const std::int64_t size :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40, INT64_MAX})
      EXPECT_THAT(error_with(key, size).message(), HasSubstr(std::string(key) + " = "));
}

TEST(ModelSpec, RefusesALayerCountTheFileCannotHave) {
  EXPECT_THAT(error_with("llama.block_count", std::int64_t{1} << 30).message(),
              HasSubstr("but the file has only 21 tensors"));
}

TEST(ModelSpec, RefusesHeadsThatDoNotDivide) {
  EXPECT_THAT(
      error_with("llama.attention.head_count_kv", std::int64_t{3}).message(),
      HasSubstr("attention.head_count = 4, attention.head_count_kv = 3: expected a multiple"));
  EXPECT_THAT(error_with("llama.embedding_length", std::int64_t{34}).message(),
              HasSubstr("embedding_length = 34, attention.head_count = 4"));
}

TEST(ModelSpec, TakesTheHeadLengthFromItsKeyAndOneLengthOnly) {
  auto model = llama_model();
  model.set("llama.attention.key_length", 16);
  EXPECT_EQ(read_model_spec(model).value().head_dim, 16);
  model.set("llama.attention.value_length", 8);
  EXPECT_EQ(read_model_spec(model).error().code(), ErrorCode::unsupported);
}

TEST(ModelSpec, HasAsManyKvHeadsAsHeadsWhenTheFileNamesNone) {
  auto model = llama_model();
  model.erase("llama.attention.head_count_kv");
  EXPECT_EQ(read_model_spec(model).value().num_kv_heads, 4);
}

TEST(ModelSpec, RefusesListsWhereANumberIsExpected) {
  EXPECT_THAT(error_with("llama.feed_forward_length", std::vector<std::int64_t>{48, 48}).message(),
              HasSubstr("is an array of integers, expected an integer"));
}

TEST(ModelSpec, D45TiesTheHeadExactlyWhenTheFileHasNone) {
  auto model = llama_model();
  EXPECT_FALSE(read_model_spec(model).value().tied_embeddings);
  model.erase_tensor("output.weight");
  EXPECT_TRUE(read_model_spec(model).value().tied_embeddings);
}

TEST(ModelSpec, D24CountsPaddedRowsOfTheEmbeddingButNotAsTokens) {
  auto model = llama_model();
  model.set_tensor("token_embd.weight", {16, 32});
  const auto spec = read_model_spec(model).value();
  EXPECT_EQ(spec.vocab_size, 16);
  EXPECT_EQ(spec.num_tokens, 10);
  model.set("llama.vocab_size", 16);
  EXPECT_TRUE(read_model_spec(model));
  model.set("llama.vocab_size", 10);
  EXPECT_TRUE(read_model_spec(model));
}

TEST(ModelSpec, RefusesVocabulariesThatDoNotFitTheEmbedding) {
  EXPECT_THAT(error_with("llama.vocab_size", std::int64_t{12}).message(),
              HasSubstr("vocab_size = 12, rows of token_embd.weight = 10"));
  EXPECT_THAT(error_with("tokenizer.ggml.tokens", std::vector<std::string_view>(11, "t")).message(),
              HasSubstr("has 11 tokens, but tensor \"token_embd.weight\" only 10 rows"));
  auto model = llama_model();
  model.erase_tensor("token_embd.weight");
  EXPECT_THAT(read_model_spec(model).error().message(),
              HasSubstr("no tensor \"token_embd.weight\""));
}

TEST(ModelSpec, RefusesOnePartOfAModelInSeveralFiles) {
  EXPECT_EQ(error_with("split.count", std::int64_t{3}).code(), ErrorCode::unsupported);
  EXPECT_THAT(error_with("split.count", std::int64_t{3}).message(), HasSubstr("one of 3 parts"));
  auto model = llama_model();
  model.set("split.count", 1);
  EXPECT_TRUE(read_model_spec(model));
}

TEST(ModelSpec, ReadsASlidingWindowAndTakesNoneOrZeroAsNone) {
  auto model = llama_model();
  EXPECT_EQ(read_model_spec(model).value().sliding_window, 0);
  model.set("llama.attention.sliding_window", 0);
  EXPECT_EQ(read_model_spec(model).value().sliding_window, 0);
  model.set("llama.attention.sliding_window", 4096);
  EXPECT_EQ(read_model_spec(model).value().sliding_window, 4096);
  EXPECT_TRUE(read_model_spec(model).value().unread_keys.empty());
  EXPECT_EQ(error_with("llama.attention.sliding_window", std::int64_t{-1}).code(),
            ErrorCode::invalid_argument);
}

TEST(ModelSpec, KeepsTheKeysItDidNotUnderstand) {
  auto model = llama_model();
  model.set("llama.expert_count", 8);
  model.set("llama.rope.scaling.original_context_length", 4096);
  model.set("other.key", 1);
  EXPECT_THAT(read_model_spec(model).value().unread_keys, ElementsAre("llama.expert_count"));
}

TEST(ModelSpec, CountsTheBytesOfATokenInTheCache) {
  const auto spec = read_model_spec(llama_model()).value();
  EXPECT_EQ(kv_bytes_per_token(spec, 2), 2 * 2 * 2 * 8 * 2);
  EXPECT_EQ(kv_bytes_per_token(spec, 4), 256);
  EXPECT_EQ(kv_bytes_per_token(spec, 1, 4), 2 * 2 * 2 * (8 + 4));
}

}  // namespace
}  // namespace troupe::model
