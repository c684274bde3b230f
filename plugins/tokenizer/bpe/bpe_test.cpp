#include "troupe/testing/conformance.h"
#include "vocabulary_fixture.h"

#include <gtest/gtest.h>

namespace troupe::bpe {
namespace {

std::shared_ptr<Resources> resources_with_a_vocabulary() {
  auto file = std::make_shared<ByteLevelFile>(
      "llama-bpe", std::vector<std::pair<std::string, std::string>>{{"l", "l"}, {"ll", "o"}});
  file->set("eos_token_id", std::int64_t{file->add("<|end_of_text|>", model::TokenType::control)});
  auto resources = std::make_shared<testing::FakeResources>();
  resources->models["default"] = file;
  return resources;
}

std::unique_ptr<Operator> configured(Value::Object values) {
  std::unique_ptr<Operator> made(troupe_plugin.spec->create());
  EXPECT_TRUE(made->configure(Params(std::move(values))));
  return made;
}

TEST(Bpe, NamesTheFileInWhatItRefuses) {
  auto file = std::make_shared<ByteLevelFile>("no-such-rule");
  testing::FakeResources resources;
  resources.models["default"] = file;
  const auto made =
      configured({{"model", "default"}, {"split_rule", ""}, {"missing_bytes", "drop"}});
  const auto started = made->start(resources);
  ASSERT_FALSE(started);
  EXPECT_TRUE(started.error().message().starts_with("fixture.gguf: tokenizer.ggml.pre: "));
}

TEST(Bpe, TakesTheSplitRuleOfItsParameterInPlaceOfTheFiles) {
  auto file = std::make_shared<ByteLevelFile>("no-such-rule");
  testing::FakeResources resources;
  resources.models["other"] = file;
  const auto made =
      configured({{"model", "other"}, {"split_rule", "gpt-2"}, {"missing_bytes", "refuse"}});
  EXPECT_TRUE(made->start(resources));
  made->stop();
}

TEST(Bpe, SaysWhenThereIsNoSuchModel) {
  testing::FakeResources resources;
  const auto made =
      configured({{"model", "absent"}, {"split_rule", ""}, {"missing_bytes", "drop"}});
  EXPECT_EQ(made->start(resources).error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace troupe::bpe

TROUPE_CONFORMANCE({.resources = troupe::bpe::resources_with_a_vocabulary})
