#include "plugins/executor/transformer/options.h"

#include "plugins/executor/transformer/test_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace troupe::transformer::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Options, ReadsEveryParameter) {
  const auto options = read_options(executor_params({{"model", "big"},
                                                     {"threads", 3},
                                                     {"max_batch_tokens", 77},
                                                     {"kv_blocks", 5},
                                                     {"kv_bytes", 6},
                                                     {"swap_bytes", 7},
                                                     {"swap_file_bytes", 8},
                                                     {"swap_dir", "/somewhere"}}));
  ASSERT_TRUE(options);
  EXPECT_EQ(options->model, "big");
  EXPECT_EQ(options->threads, 3);
  EXPECT_EQ(options->max_batch_tokens, 77);
  EXPECT_EQ(options->kv_blocks, 5);
  EXPECT_EQ(options->kv_bytes, 6);
  EXPECT_EQ(options->swap_bytes, 7);
  EXPECT_EQ(options->swap_file_bytes, 8);
  EXPECT_EQ(options->swap_dir, "/somewhere");
}

TEST(ModelOptions, TakesEveryNameOfAPrecision) {
  for (const char* name : {"f32", "bf16", "int8", "int8x2"})
    EXPECT_EQ(
        to_string(read_model_options(Params(Value::Object{{"activations", name}}))->activations),
        name);
  for (const char* name : {"f32", "bf16", "f16", "int8"})
    EXPECT_EQ(
        to_string(read_model_options(Params(Value::Object{{"kv_precision", name}}))->kv_precision),
        name);
}

TEST(ModelOptions, LeavesTheDefaultsWhereATableSaysNothing) {
  for (const auto& table :
       {Value::Object{}, Value::Object{{"activations", Value()}, {"kv_precision", ""}}}) {
    const auto options = read_model_options(Params(table));
    ASSERT_TRUE(options);
    EXPECT_EQ(options->activations, Activations::int8x2);
    EXPECT_EQ(options->kv_precision, kernels::KvPrecision::bf16);
    EXPECT_EQ(options->context, 0);
  }
}

TEST(ModelOptions, NamesTheKeyTheValueAndTheChoices) {
  const auto options = read_model_options(Params(Value::Object{{"kv_precision", "int4"}}));
  ASSERT_FALSE(options);
  EXPECT_THAT(options.error().message(), AllOf(HasSubstr("kv_precision"), HasSubstr("'int4'"),
                                               HasSubstr("f32, bf16, f16, int8")));
  EXPECT_FALSE(read_model_options(Params(Value::Object{{"activations", 8}})));
  EXPECT_FALSE(read_model_options(Params(Value::Object{{"context", -1}})));
  EXPECT_FALSE(read_model_options(Params(Value::Object{{"context", "long"}})));
}

TEST(ContextLength, IsTheModelsUnlessLessIsAskedFor) {
  EXPECT_EQ(context_length({}, 2048), 2048);
  EXPECT_EQ(context_length({.context = 100}, 2048), 100);
  EXPECT_FALSE(context_length({.context = 2049}, 2048));
}

}  // namespace
}  // namespace troupe::transformer::testing
