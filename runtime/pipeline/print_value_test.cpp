#include "troupe/core/json.h"
#include "troupe/pipeline/print_spec.h"
#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

TEST(PrintValue, HasEveryPartOfThePipeline) {
  const auto value = print_value(testing::load_shipped("completion.toml"));
  EXPECT_EQ(value.find("name")->as_string(), "completion");
  EXPECT_EQ(value.find("operators")->as_array().size(), 6u);
  EXPECT_EQ(value.find("wires")->as_array().size(), 9u);
  EXPECT_EQ(to_json(value.find("loops")->as_array()[0]),
            R"({"scheduler":"scheduler","kv_cache":"kv_cache","executor":"executor",)"
            R"("sampler":"sampler","drafter":null})");
  EXPECT_EQ(to_json(value.find("wires")->as_array()[0]),
            R"({"from":"client","output":"requests","to":"tokenizer","input":"requests",)"
            R"("message":"Request"})");
}

}  // namespace
}  // namespace troupe::pipeline
