#include "troupe/model/transformer_spec.h"

#include "troupe/model/testing/memory_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe::model {
namespace {

using ::testing::HasSubstr;
using testing::llama_model;
using testing::MemoryModel;

TransformerSpec spec_of(const MemoryModel& model) {
  return {.model = read_model_spec(model).value()};
}

Error error_of(const MemoryModel& model, TransformerSpec spec) {
  const auto fits = check_transformer(model, spec);
  return fits ? Error(ErrorCode::internal, "the model was taken") : fits.error();
}

Error error_of(const MemoryModel& model) {
  return error_of(model, spec_of(model));
}

TEST(TransformerSpec, TakesTheModelItDescribes) {
  const auto model = llama_model();
  EXPECT_TRUE(check_transformer(model, spec_of(model)));
  EXPECT_EQ(expected_tensors(spec_of(model)).size(), model.tensors().size());
}

TEST(TransformerSpec, ExpectsNoHeadOfATiedModel) {
  auto model = llama_model();
  model.erase_tensor("output.weight");
  EXPECT_TRUE(check_transformer(model, spec_of(model)));
}

TEST(TransformerSpec, NamesEachTensorThatIsAbsent) {
  const auto sound = llama_model();
  const auto spec = spec_of(sound);
  for (const auto& expected : expected_tensors(spec)) {
    auto model = sound;
    model.erase_tensor(expected.name);
    const auto error = error_of(model, spec);
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.message(), HasSubstr("no tensor \"" + expected.name + "\" ["));
  }
}

TEST(TransformerSpec, NamesEachTensorOfAnotherShapeWithBothShapes) {
  const auto sound = llama_model();
  const auto spec = spec_of(sound);
  for (const auto& expected : expected_tensors(spec)) {
    auto model = sound;
    auto shape = expected.shape;
    shape.back() += 1;
    model.set_tensor(expected.name, shape);
    const auto error = error_of(model, spec);
    EXPECT_EQ(error.code(), ErrorCode::incompatible);
    EXPECT_THAT(error.message(), HasSubstr("tensor \"" + expected.name + "\" has the shape ["));
  }
  auto model = sound;
  model.set_tensor("blk.1.attn_k.weight", {32, 16});
  EXPECT_EQ(error_of(model, spec).message(),
            "tensor \"blk.1.attn_k.weight\" has the shape [32, 16], expected [16, 32]");
}

TEST(TransformerSpec, RefusesTensorsThatNobodyWouldRead) {
  auto model = llama_model();
  model.set_tensor("blk.0.attn_q.bias", {32});
  const auto error = error_of(model);
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.message(), HasSubstr("\"blk.0.attn_q.bias\" is no part"));
}

TEST(TransformerSpec, ExpectsTheTensorsOfEachTrait) {
  auto model = llama_model();
  const auto plain = spec_of(model);
  auto all = plain;
  all.qkv_bias = all.output_bias = all.mlp_bias = all.qk_norm = true;
  EXPECT_EQ(expected_tensors(all).size(), expected_tensors(plain).size() + 2 * (3 + 1 + 3 + 2));
  auto normed = plain;
  normed.qk_norm = true;
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    model.set_tensor(layer + "attn_q_norm.weight", {8});
    model.set_tensor(layer + "attn_k_norm.weight", {8});
  }
  EXPECT_TRUE(check_transformer(model, normed));
  EXPECT_FALSE(check_transformer(model, plain));
}

TEST(TransformerSpec, RefusesKeysThatWouldChangeTheComputation) {
  for (const auto* key : {"llama.expert_count", "llama.attention.sliding_window_pattern",
                          "llama.attn_logit_softcapping", "llama.attention.scale",
                          "llama.logit_scale", "llama.rope.scaling.attn_factor"}) {
    auto model = llama_model();
    model.set(key, 8);
    const auto error = error_of(model);
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.message(), HasSubstr(key));
    model.set(key, 0);
    EXPECT_TRUE(check_transformer(model, spec_of(model))) << key << " = 0 switches it off";
  }
}

TEST(TransformerSpec, ReadsFlagsOfTheComputationByTheirMeaning) {
  auto model = llama_model();
  model.set("llama.attention.causal", true);
  model.set("llama.use_alibi", false);
  EXPECT_TRUE(check_transformer(model, spec_of(model)));
  model.set("llama.use_alibi", true);
  EXPECT_THAT(error_of(model).message(), HasSubstr("use_alibi"));
  model.erase("llama.use_alibi");
  model.set("llama.attention.causal", false);
  EXPECT_THAT(error_of(model).message(), HasSubstr("attention.causal"));
}

TEST(TransformerSpec, TakesKeysThatOnlyInform) {
  auto model = llama_model();
  model.set("llama.rope.scaling.original_context_length", 64);
  model.set("llama.tensor_data_layout", std::string_view("Meta AI original pth"));
  EXPECT_TRUE(check_transformer(model, spec_of(model)));
}

}  // namespace
}  // namespace troupe::model
