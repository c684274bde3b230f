#include "troupe/pipeline/table_keys.h"

#include "troupe/pipeline/toml_source.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

TEST(PipelineName, IsALetterThenLettersDigitsAndUnderscores) {
  for (const auto* name : {"a", "Z9", "kv_cache_2"})
    EXPECT_TRUE(is_pipeline_name(name)) << name;
  for (const auto* name : {"", "2a", "_a", "a-b", "a.b", "a b", "\u00e9"})
    EXPECT_FALSE(is_pipeline_name(name)) << name;
  EXPECT_TRUE(is_pipeline_name(std::string(64, 'a')));
  EXPECT_FALSE(is_pipeline_name(std::string(65, 'a')));
}

TEST(PipelineName, IsNoWordThatKeysBeginWith) {
  for (const auto* name : {"model", "operators", "pipeline", "params"})
    EXPECT_FALSE(is_pipeline_name(name)) << name;
}

TEST(OperatorKey, IsAFieldOrOneOfTheTwoTables) {
  for (const auto* key : {"kind", "plugin", "mailbox", "restart", "restart.max", "params"})
    EXPECT_TRUE(is_operator_key(key)) << key;
  EXPECT_FALSE(is_operator_key("max_batch_tokens"));
}

TEST(OperatorFields, HaveDefaultsThatAreToml) {
  for (const auto& field : operator_fields()) {
    if (field.default_value.empty()) continue;
    EXPECT_TRUE(parse_toml_value(field.default_value)) << field.name;
  }
}

}  // namespace
}  // namespace troupe::pipeline
