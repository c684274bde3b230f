#include "troupe/model/model_info.h"

#include "troupe/core/json.h"
#include "troupe/model/testing/memory_model.h"
#include "troupe/model/testing/test_files.h"
#include "troupe/model/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ModelInfo info_of(const TinyModelOptions& options, RunPrecision precision = {}) {
  const auto file = testing::open_bytes(tiny_model_bytes(options).value()).value();
  return read_model_info(*file, std::move(precision)).value();
}

TEST(ModelInfo, CountsWeightsByTypeWithTheLargestFirst) {
  const auto info = info_of({.weight_type = WeightType::q8_0, .num_layers = 3});
  ASSERT_EQ(info.weights.size(), 2u);
  EXPECT_EQ(info.weights[0].type, WeightType::q8_0);
  EXPECT_EQ(info.weights[0].num_tensors, 1 + 3 * 7);
  EXPECT_EQ(info.weights[1].type, WeightType::f32);
  EXPECT_EQ(info.weights[1].num_tensors, 1 + 3 * 2);
  EXPECT_EQ(info.weights[1].bytes, 7 * 64 * 4);
  EXPECT_EQ(info.weights[0].bytes + info.weights[1].bytes, info.spec.weight_bytes);
  EXPECT_EQ(info.weights[0].num_parameters + info.weights[1].num_parameters,
            info.spec.num_parameters);
  EXPECT_NEAR(info.bits_per_weight, 8.5, 0.2);
}

TEST(ModelInfo, NamesTheSpecialTokensWithTheirTexts) {
  const auto tokenizer = info_of({}).tokenizer.value();
  EXPECT_EQ(tokenizer.model, "gpt2");
  EXPECT_EQ(tokenizer.pre_tokenizer, "smollm");
  EXPECT_EQ(tokenizer.problem, "");
  EXPECT_EQ(tokenizer.add_bos, false);
  EXPECT_EQ(tokenizer.add_eos, std::nullopt);
  ASSERT_FALSE(tokenizer.special_tokens.empty());
  EXPECT_EQ(tokenizer.special_tokens[0].role, "bos");
  EXPECT_EQ(tokenizer.special_tokens[0].id, 1);
  EXPECT_EQ(tokenizer.special_tokens[0].text, "<|im_start|>");
  const auto pieces = info_of({.tokenizer = TinyTokenizer::sentence_piece}).tokenizer.value();
  EXPECT_EQ(pieces.model, "llama");
  EXPECT_EQ(pieces.special_tokens[0].text, "<s>");
  EXPECT_EQ(pieces.problem, "");
}

TEST(ModelInfo, TellsWhyATokenizerCannotBeUsedAndShowsTheRest) {
  auto model = testing::llama_model();
  model.set("tokenizer.ggml.model", std::string_view("bert"));
  const auto info = read_model_info(model).value();
  EXPECT_THAT(info.tokenizer->problem, HasSubstr("\"bert\" is not supported"));
  EXPECT_THAT(to_text(info), HasSubstr("not usable"));
  EXPECT_EQ(to_value(info).find("tokenizer")->find("model")->as_string(), "bert");
}

TEST(ModelInfo, NamesTheFileOfAModelItCannotDescribe) {
  auto model = testing::llama_model();
  model.erase("llama.block_count");
  EXPECT_EQ(read_model_info(model).error().message(),
            "memory.gguf: the file has no metadata key \"llama.block_count\"");
  auto typed = testing::llama_model();
  typed.set("tokenizer.chat_template", 5);
  EXPECT_THAT(read_model_info(typed).error().message(), HasSubstr("memory.gguf: metadata key"));
}

TEST(ModelInfo, TakesAModelWithoutTokenizerOrTemplate) {
  const auto info = read_model_info(testing::llama_model()).value();
  EXPECT_EQ(info.tokenizer.has_value(), false);
  EXPECT_TRUE(to_value(info).find("tokenizer")->is_null());
  EXPECT_TRUE(to_value(info).find("chat_template")->is_null());
  EXPECT_THAT(to_text(info), HasSubstr("chat template     none\n"));
}

TEST(ModelInfo, JsonHasEveryFieldThatToolsNeed) {
  const auto value = to_value(info_of({}, {.activations = "bf16", .kv = "f16"}));
  EXPECT_EQ(value.find("architecture")->as_string(), "llama");
  EXPECT_EQ(value.find("hidden_size")->as_int(), 64);
  EXPECT_EQ(value.find("kv_bytes_per_token")->find("f16")->as_int(), 2 * 2 * 2 * 16 * 2);
  EXPECT_EQ(value.find("kv_bytes_per_token")->find("f32")->as_int(), 2 * 2 * 2 * 16 * 4);
  EXPECT_EQ(value.find("kv_bytes_per_token")->find("int8")->as_int(), 2 * 2 * 2 * (16 + 4));
  EXPECT_EQ(value.find("sliding_window")->as_int(), 0);
  EXPECT_EQ(to_json(*value.find("precision")),
            R"({"weights":"f32","activations":"bf16","kv":"f16"})");
  EXPECT_EQ(to_json(*value.find("rope")),
            R"({"dims":16,"theta":10000.0,"scaling":"none","linear_factor":1.0})");
  EXPECT_THAT(value.find("chat_template")->as_string(), HasSubstr("<|im_start|>"));
  EXPECT_TRUE(value.find("unread_keys")->as_array().empty());
  EXPECT_EQ(parse_json(to_json(value)).value(), value);
}

TEST(ModelInfo, TextNamesThePrecisionOnlyWhenTheRunHasOne) {
  EXPECT_THAT(to_text(info_of({})), Not(HasSubstr("activations")));
  const auto text = to_text(info_of({}, {.activations = "int8", .kv = "f32"}));
  EXPECT_THAT(text, HasSubstr("activations       int8\n"));
  EXPECT_THAT(text, HasSubstr("KV precision      f32\n"));
}

TEST(ModelInfo, TextReadsWell) {
  const auto text = to_text(info_of({.rope_scaling = TinyRopeScaling::linear}));
  EXPECT_THAT(text, HasSubstr("attention         4 heads of 16, 2 KV heads\n"));
  EXPECT_THAT(text,
              HasSubstr("rope              theta 10000, 16 dimensions, linear scaling by 4\n"));
  EXPECT_THAT(text,
              HasSubstr("KV cache 16 bit   256 B per token, 128.0 KiB for the whole context\n"));
  EXPECT_THAT(text,
              HasSubstr("KV cache int8     160 B per token, 80.0 KiB for the whole context\n"));
  EXPECT_THAT(text, Not(HasSubstr("sliding window")));
  EXPECT_THAT(to_text(info_of({.sliding_window = 48})),
              HasSubstr("sliding window    48 tokens in every layer\n"));
  EXPECT_THAT(text, HasSubstr("  eos             2 \"<|im_end|>\"\n"));
}

TEST(ModelInfo, HostileNamesDoNotReachTheTerminalAsTheyAre) {
  auto model = testing::llama_model();
  model.set("general.name", std::string_view("a\x1b[31m\nname"));
  const auto text = to_text(read_model_info(model).value());
  EXPECT_THAT(text, HasSubstr(R"("a\x1b[31m\x0aname")"));
}

TEST(ModelInfo, DescribesSmolLM2) {
  if (!std::filesystem::exists(testing::smollm2()))
    GTEST_SKIP() << "no model at " << testing::smollm2() << "; TROUPE_TEST_MODEL may name another";
  const auto info = read_model_info(**open_model(testing::smollm2())).value();
  EXPECT_EQ(info.weights[0].type, WeightType::q4_1);
  EXPECT_EQ(to_value(info).find("kv_bytes_per_token")->find("bf16")->as_int(), 2 * 30 * 3 * 64 * 2);
  EXPECT_EQ(info.tokenizer->problem, "");
  EXPECT_THAT(to_text(info), HasSubstr("134.5 million"));
}

}  // namespace
}  // namespace troupe::model
