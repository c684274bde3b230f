#include "troupe/model/chat_template.h"
#include "troupe/model/testing/memory_model.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace troupe::model {
namespace {

testing::MemoryModel model_with_templates() {
  testing::MemoryModel model;
  model.set("tokenizer.ggml.tokens", std::vector<std::string_view>{"<unk>", "<s>", "</s>"});
  model.set("tokenizer.ggml.bos_token_id", 1);
  model.set("tokenizer.ggml.eos_token_id", 2);
  model.set("tokenizer.ggml.unknown_token_id", 0);
  model.set("tokenizer.chat_template", std::string_view("{{ bos_token }}default{{ eos_token }}"));
  model.set("tokenizer.chat_template.tool_use", std::string_view("tools{{ unk_token }}"));
  return model;
}

std::string rendered(const Result<ChatTemplate>& chat) {
  if (!chat) return chat.error().message();
  RenderInput input;
  input.messages = Value::Array{};
  const auto prompt = chat->render(input);
  return prompt ? prompt->text : prompt.error().message();
}

TEST(ModelChatTemplate, UsesTheTokensOfTheFile) {
  const auto model = model_with_templates();
  EXPECT_EQ(rendered(chat_template_of(model)), "<s>default</s>");
  EXPECT_EQ(rendered(chat_template_of(model, "tool_use")), "tools<unk>");
}

TEST(ModelChatTemplate, SaysWhichTemplatesThereAre) {
  auto model = model_with_templates();
  const auto missing = chat_template_of(model, "rag");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::not_found);
  EXPECT_EQ(missing.error().message(),
            "memory.gguf has no chat template named 'rag'. It has: default, tool_use.");
  model.erase("tokenizer.chat_template");
  model.erase("tokenizer.chat_template.tool_use");
  EXPECT_EQ(rendered(chat_template_of(model)), "memory.gguf has no chat template.");
}

TEST(ModelChatTemplate, RefusesTokensOutsideTheVocabulary) {
  auto model = model_with_templates();
  model.set("tokenizer.ggml.eos_token_id", 3);
  EXPECT_EQ(rendered(chat_template_of(model)),
            "tokenizer.ggml.eos_token_id is 3, expected an id below the vocabulary's size of 3");
  model.set("tokenizer.ggml.eos_token_id", -1);
  EXPECT_FALSE(special_tokens_of(model));
}

TEST(ModelChatTemplate, NamesTheFileAndThePlaceOfAFault) {
  auto model = model_with_templates();
  model.set("tokenizer.chat_template", std::string_view("a\n{% if %}"));
  EXPECT_EQ(rendered(chat_template_of(model)),
            "memory.gguf: tokenizer.chat_template: 2:7: expected an expression, found '%}'");
  model.set("tokenizer.chat_template", 5);
  EXPECT_FALSE(chat_template_of(model));
}

TEST(TemplateClock, HonoursSourceDateEpoch) {
  using namespace std::chrono;
  const char* before = std::getenv("SOURCE_DATE_EPOCH");
  const std::string kept = before ? before : "";
  setenv("SOURCE_DATE_EPOCH", "1768478400", 1);
  EXPECT_EQ(*template_clock(), local_days(year(2026) / January / 15) + hours(12));
  for (const char* wrong : {"soon", "-5", "1.5", "99999999999999999999"}) {
    setenv("SOURCE_DATE_EPOCH", wrong, 1);
    EXPECT_FALSE(template_clock()) << wrong;
  }
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_GT(*template_clock(), local_days(year(2025) / January / 1));
  if (before) setenv("SOURCE_DATE_EPOCH", kept.c_str(), 1);
}

}  // namespace
}  // namespace troupe::model
