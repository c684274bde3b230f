#include "plugins/executor/transformer/transformer.h"

#include "plugins/executor/transformer/architectures/architecture.h"
#include "plugins/executor/transformer/reference_forward.h"
#include "plugins/executor/transformer/test_executor.h"
#include "plugins/executor/transformer/tiny_model_file.h"
#include "troupe/testing/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

namespace troupe::transformer::testing {
namespace {

using ::testing::HasSubstr;

std::vector<TokenId> some_ids(int count, int seed = 1) {
  std::vector<TokenId> ids;
  for (int i = 0; i < count; ++i)
    ids.push_back((i * 37 + seed * 101) % 380);
  return ids;
}

/// Largest difference between the executor's logits and the reference's, over the spread of the
/// latter.
double distance_to_reference(const std::filesystem::path& path, const Value::Object& table) {
  auto executor = start_executor(path, {}, table);
  EXPECT_TRUE(executor) << executor.error().message();
  const auto ids = some_ids(40);
  StepPlan plan;
  add_segment(plan, 1, 0, ids, blocks_from(3, 3), RowsWanted::all);
  const auto result = submit(**executor, plan);
  if (result.error) {
    ADD_FAILURE() << result.error->message();
    return 1;
  }
  const auto file = model::open_model(path).value();
  const auto spec = model::read_model_spec(*file).value();
  const auto expected = ReferenceForward(*file, spec).logits(ids);
  double most = 0, least = 1e30, largest = -1e30;
  for (std::uint32_t row = 0; row < plan.num_rows; ++row)
    for (std::size_t i = 0; i < expected[row].size(); ++i) {
      most = std::max(most, std::abs(expected[row][i] - result.logits.row(row)[i]));
      least = std::min(least, expected[row][i]);
      largest = std::max(largest, expected[row][i]);
    }
  return most / (largest - least);
}

Value::Object precisions(const char* activations, const char* kv) {
  return {{"activations", activations}, {"kv_precision", kv}};
}

TEST(Transformer, EqualsASlowForwardInDoubleForEveryWeightType) {
  using enum model::WeightType;
  for (const auto type : {f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, q4_k, q5_k, q6_k}) {
    const TinyModelFile file(model::tiny_model_for(type));
    EXPECT_LT(distance_to_reference(file.path(), precisions("f32", "f32")), 3e-6)
        << to_string(type);
  }
}

TEST(Transformer, EqualsASlowForwardForEveryShapeOfModel) {
  std::vector<model::TinyModelOptions> shapes(8);
  shapes[0].tied_embeddings = false;
  shapes[1].rope_scaling = model::TinyRopeScaling::linear;
  shapes[2].rope_scaling = model::TinyRopeScaling::llama3;
  shapes[3].num_kv_heads = 4;
  shapes[4].num_kv_heads = 1;
  shapes[5].embedding_type = model::WeightType::q8_0;
  shapes[6].sliding_window = 7;
  shapes[7].sliding_window = 18;
  for (const auto& shape : shapes) {
    const TinyModelFile file(shape);
    EXPECT_LT(distance_to_reference(file.path(), precisions("f32", "f32")), 3e-6);
  }
}

TEST(Transformer, EachPrecisionStaysWithinItsErrorOfTheReference) {
  const TinyModelFile file(model::tiny_model_for(model::WeightType::q4_1));
  EXPECT_LT(distance_to_reference(file.path(), precisions("int8x2", "f32")), 2e-4);
  EXPECT_LT(distance_to_reference(file.path(), precisions("bf16", "f32")), 1e-2);
  EXPECT_LT(distance_to_reference(file.path(), precisions("int8", "f32")), 3e-2);
  EXPECT_LT(distance_to_reference(file.path(), precisions("f32", "f16")), 1e-3);
  EXPECT_LT(distance_to_reference(file.path(), precisions("f32", "bf16")), 1e-2);
  EXPECT_LT(distance_to_reference(file.path(), precisions("f32", "int8")), 2e-2);
}

TEST(Transformer, CopiesBlocksBeforeItComputes) {
  const TinyModelFile file;
  auto executor = start_executor(file.path()).value();
  StepPlan prompt;
  add_segment(prompt, 1, 0, some_ids(20), blocks_from(0, 2), RowsWanted::last);
  submit(*executor, prompt);
  StepPlan next;
  add_segment(next, 1, 20, {7}, blocks_from(0, 2), RowsWanted::last);
  const auto expected = submit(*executor, next).logits.row(0);
  const std::vector<float> logits(expected.begin(), expected.end());
  StepPlan copied;
  copied.copies = {{{0}, {5}}, {{1}, {3}}};
  add_segment(copied, 2, 20, {7}, {{5}, {3}}, RowsWanted::last);
  EXPECT_THAT(submit(*executor, copied).logits.row(0), ::testing::ElementsAreArray(logits));
}

/// Writes NaN in place of one row of the embedding.
void poison_embedding(const std::filesystem::path& path, TokenId token) {
  std::vector<char> row;
  {
    const auto file = model::open_model(path).value();
    const auto& tensor = *file->tensor("token_embd.weight");
    const auto bytes = model::row_bytes(tensor.type, tensor.shape[1]);
    const auto* data = reinterpret_cast<const char*>(tensor.data.data()) + token * bytes;
    row.assign(data, data + bytes);
  }
  std::ifstream in(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(in)), {});
  const auto at = std::search(content.begin(), content.end(), row.begin(), row.end());
  ASSERT_NE(at, content.end());
  std::fill(at, at + static_cast<std::ptrdiff_t>(row.size()), '\xff');
  std::ofstream(path, std::ios::binary) << content;
}

TEST(Transformer, NamesTheSequenceThatIsNotFiniteAndSparesTheOthers) {
  model::TinyModelOptions options;
  options.tied_embeddings = false;
  const TinyModelFile file(options);
  poison_embedding(file.path(), 383);
  auto executor = start_executor(file.path()).value();
  StepPlan alone;
  add_segment(alone, 1, 0, some_ids(5), blocks_from(0, 1), RowsWanted::last);
  const auto row = submit(*executor, alone).logits.row(0);
  const std::vector<float> expected(row.begin(), row.end());
  StepPlan plan;
  add_segment(plan, 8, 0, {1, 2, 383, 3}, blocks_from(1, 1), RowsWanted::none);
  add_segment(plan, 9, 0, some_ids(5), blocks_from(2, 1), RowsWanted::last);
  const auto result = submit(*executor, plan);
  EXPECT_FALSE(result.error);
  ASSERT_EQ(result.failed.size(), 1u);
  EXPECT_EQ(result.failed[0].first.value, 8u);
  EXPECT_THAT(result.failed[0].second.message(), HasSubstr("the embedding at position 2"));
  EXPECT_THAT(result.logits.row(0), ::testing::ElementsAreArray(expected));
}

TEST(Transformer, BlocksThatHeldNanServeTheNextSequence) {
  model::TinyModelOptions options;
  options.tied_embeddings = false;
  const TinyModelFile file(options);
  poison_embedding(file.path(), 383);
  auto executor = start_executor(file.path()).value();
  StepPlan clean, poisoned;
  add_segment(clean, 1, 0, some_ids(21), blocks_from(0, 2), RowsWanted::last);
  add_segment(poisoned, 2, 0, std::vector<TokenId>(32, 383), blocks_from(0, 2), RowsWanted::last);
  const auto before = submit(*executor, clean).logits.row(0);
  const std::vector<float> expected(before.begin(), before.end());
  EXPECT_EQ(submit(*executor, poisoned).failed.size(), 1u);
  const auto result = submit(*executor, clean);
  EXPECT_TRUE(result.failed.empty());
  EXPECT_THAT(result.logits.row(0), ::testing::ElementsAreArray(expected));
}

TEST(Transformer, BlocksThatTheWindowHasLeftMayHoldAnything) {
  model::TinyModelOptions options;
  options.tied_embeddings = false;
  options.sliding_window = 20;
  const TinyModelFile file(options);
  poison_embedding(file.path(), 383);
  auto executor = start_executor(file.path()).value();
  StepPlan prompt, next, poison;
  add_segment(prompt, 1, 0, some_ids(52), blocks_from(0, 4), RowsWanted::none);
  add_segment(next, 1, 52, {7, 8}, blocks_from(0, 4), RowsWanted::all);
  submit(*executor, prompt);
  const auto before = submit(*executor, next).logits.row(1);
  const std::vector<float> expected(before.begin(), before.end());
  // The token at 52 sees positions 33 to 52: blocks 0 and 1 are behind it.
  add_segment(poison, 2, 0, std::vector<TokenId>(32, 383), blocks_from(0, 2), RowsWanted::none);
  EXPECT_EQ(submit(*executor, poison).failed.size(), 1u);
  EXPECT_THAT(submit(*executor, next).logits.row(1), ::testing::ElementsAreArray(expected));
  next.block_ids[0] = next.block_ids[1] = kNoBlock;
  EXPECT_THAT(submit(*executor, next).logits.row(1), ::testing::ElementsAreArray(expected));
  next.block_ids[2] = kNoBlock;
  EXPECT_TRUE(submit(*executor, next).error);
}

TEST(Transformer, AnEmptyPlanGivesNoRows) {
  const TinyModelFile file;
  auto executor = start_executor(file.path()).value();
  StepPlan plan;
  plan.step = {42};
  const auto result = submit(*executor, plan);
  EXPECT_EQ(result.step.value, 42u);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.logits.num_rows, 0u);
}

TEST(Transformer, DescribesWhatItLoaded) {
  const TinyModelFile file;
  auto executor =
      start_executor(file.path(), {{"kv_blocks", 40}, {"max_batch_tokens", 64}}, {{"context", 100}})
          .value();
  const auto& info = executor->info();
  EXPECT_EQ(info.architecture, "llama");
  EXPECT_EQ(info.context_len, 100);
  EXPECT_EQ(info.num_blocks, 40);
  EXPECT_EQ(info.max_batch_tokens, 64);
  EXPECT_EQ(info.activations, "int8x2");
  EXPECT_EQ(info.kv_precision, "bf16");
  EXPECT_EQ(info.kv_bytes_per_token,
            2 * 2 * 2 * 16 * 2);  // layers, k and v, heads, head_dim, bytes
  EXPECT_EQ(info.num_host_slots, 0);
  EXPECT_EQ(info.num_file_slots, 0);
  EXPECT_EQ(info.sliding_window, 0);
  EXPECT_GT(info.weight_bytes, 0);
}

TEST(Transformer, DescribesItsLowerTiersItsScalesAndItsWindow) {
  model::TinyModelOptions options;
  options.sliding_window = 100;
  const TinyModelFile file(options);
  const std::int64_t token = 2 * 2 * 2 * (16 + 4);  // layers, k and v, heads, head_dim and a scale
  const Value::Object params{{"swap_bytes", 3 * 16 * token}, {"swap_file_bytes", 6 * 16 * token}};
  auto executor = start_executor(file.path(), params, {{"kv_precision", "int8"}}).value();
  EXPECT_EQ(executor->info().kv_bytes_per_token, token);
  EXPECT_EQ(executor->info().num_host_slots, 3);
  EXPECT_EQ(executor->info().num_file_slots, 6);
  EXPECT_EQ(executor->info().sliding_window, 100);
  executor = start_executor(file.path(), {}, {{"context", 100}}).value();
  EXPECT_EQ(executor->info().sliding_window, 0) << "no token is ever out of sight";
}

TEST(Transformer, RefusesAContextLongerThanTheModelsWithBothNumbers) {
  const TinyModelFile file;
  const auto executor = start_executor(file.path(), {}, {{"context", 1000}});
  ASSERT_FALSE(executor);
  EXPECT_THAT(executor.error().message(), HasSubstr("1000"));
  EXPECT_THAT(executor.error().message(), HasSubstr("512"));
}

TEST(Transformer, RefusesDevicesAndShardsItDoesNotHave) {
  for (const auto& params : {Value::Object{{"device", "cuda"}}, Value::Object{{"tp_size", 2}}}) {
    const auto executor = start_executor("/none", params);
    ASSERT_FALSE(executor);
    EXPECT_EQ(executor.error().code(), ErrorCode::unsupported);
    EXPECT_THAT(executor.error().message(), HasSubstr(params[0].first));
  }
}

TEST(Transformer, RefusesFeaturesThatTheForwardPassLacks) {
  model::TransformerSpec spec;
  EXPECT_TRUE(check_runnable(spec));
  spec.qk_norm = true;
  ASSERT_FALSE(check_runnable(spec));
  EXPECT_EQ(check_runnable(spec).error().code(), ErrorCode::unsupported);
}

TEST(Transformer, RefusesAMissingFile) {
  const auto executor = start_executor("/no/such/model.gguf");
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.error().code(), ErrorCode::not_found);
}

TEST(Transformer, APlanBeforeTheStartIsAnError) {
  TransformerExecutor executor;
  EXPECT_TRUE(submit(executor, StepPlan{}).error);
}

TEST(Architectures, AreListedFromTheirFiles) {
  std::vector<std::string_view> names;
  for (const auto* architecture : architectures())
    names.push_back(architecture->name);
  EXPECT_THAT(names, ::testing::Contains("llama"));
}

}  // namespace
}  // namespace troupe::transformer::testing

TROUPE_CONFORMANCE({.resources = []() -> std::shared_ptr<troupe::Resources> {
  static const troupe::transformer::testing::TinyModelFile file;
  return std::make_shared<troupe::transformer::testing::OneModel>(file.path(),
                                                                  troupe::Value::Object{});
}})
