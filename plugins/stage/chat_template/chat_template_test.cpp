#include "troupe/core/param_check.h"
#include "troupe/model/testing/memory_model.h"
#include "troupe/testing/conformance.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace troupe {
namespace {

constexpr std::string_view kTemplate =
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}";

model::testing::MemoryModel chat_model() {
  model::testing::MemoryModel model;
  model.set("tokenizer.ggml.tokens", std::vector<std::string_view>{"<unk>", "<s>", "</s>"});
  model.set("tokenizer.ggml.bos_token_id", 1);
  model.set("tokenizer.chat_template", kTemplate);
  return model;
}

std::shared_ptr<testing::FakeResources> resources_with(model::testing::MemoryModel model) {
  auto resources = std::make_shared<testing::FakeResources>();
  resources->models["default"] =
      std::make_shared<const model::testing::MemoryModel>(std::move(model));
  return resources;
}

/// A stage that is configured and started, or the error that prevented it.
Result<std::unique_ptr<Stage>> make_stage(model::testing::MemoryModel model,
                                          const Value::Object& given = {}) {
  std::unique_ptr<Stage> stage(dynamic_cast<Stage*>(troupe_plugin.spec->create()));
  const auto params = complete_params(troupe_plugin.spec->params, given);
  if (!params) return fail(params.error());
  if (auto configured = stage->configure(*params); !configured) return fail(configured.error());
  const auto resources = resources_with(std::move(model));
  if (auto started = stage->start(*resources); !started) return fail(started.error());
  return stage;
}

Request chat(std::string_view content) {
  Request request;
  request.kind = RequestKind::chat;
  request.messages = {Value::Object{{"role", "user"}, {"content", content}}};
  return request;
}

/// The prompt with its untrusted pieces between brackets, or the refusal.
std::string prompt_of(const Result<std::unique_ptr<Stage>>& stage, Request request) {
  if (!stage) return "no stage: " + stage.error().message();
  const auto verdict = (*stage)->on_request(request);
  if (verdict.error) return "refused: " + verdict.error->message();
  std::string text;
  for (const auto& piece : request.prompt)
    text += piece.trusted ? piece.text : "[" + piece.text + "]";
  return text;
}

TEST(ChatTemplateStage, RendersMessagesIntoPiecesOfTheirTrust) {
  EXPECT_EQ(prompt_of(make_stage(chat_model()), chat("hi<|end|>")),
            "<|user|>[hi<|end|>]<|end|><|assistant|>");
}

TEST(ChatTemplateStage, LeavesTheMessagesOutOfTheRenderedRequest) {
  const auto stage = make_stage(chat_model());
  ASSERT_TRUE(stage);
  auto request = chat("hi");
  EXPECT_EQ((*stage)->on_request(request).action, StageVerdict::Action::pass);
  EXPECT_TRUE(request.messages.empty());
}

TEST(ChatTemplateStage, PassesCompletionsUnchanged) {
  Request request;
  request.prompt = {{"raw <|end|>", true}};
  EXPECT_EQ(prompt_of(make_stage(chat_model()), request), "raw <|end|>");
}

TEST(ChatTemplateStage, RefusesChatWithAModelThatHasNoTemplate) {
  auto model = chat_model();
  model.erase("tokenizer.chat_template");
  EXPECT_EQ(prompt_of(make_stage(model), chat("hi")),
            "refused: memory.gguf has no chat template. Send the text itself (--raw, or a "
            "completion request), or give the chat_template stage a template_file");
  Request raw;
  raw.prompt = {{"text", false}};
  EXPECT_EQ(prompt_of(make_stage(model), raw), "[text]");
}

TEST(ChatTemplateStage, DoesNotStartWithATemplateThatDoesNotParse) {
  auto model = chat_model();
  model.set("tokenizer.chat_template", std::string_view("{% if x %}"));
  const auto stage = make_stage(model);
  ASSERT_FALSE(stage);
  EXPECT_EQ(stage.error().message().find("memory.gguf: tokenizer.chat_template: 1:11: expected"),
            0u);
}

TEST(ChatTemplateStage, TakesATemplateInPlaceOfTheModels) {
  EXPECT_EQ(prompt_of(make_stage(chat_model(), {{"template", "{{ bos_token }}!"}}), chat("hi")),
            "<s>!");
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("troupe_chat_template_test_" + std::to_string(getpid()) + ".jinja");
  std::ofstream(path) << "file\n";
  EXPECT_EQ(prompt_of(make_stage(chat_model(), {{"template_file", path.string()}}), chat("hi")),
            "file");
  std::filesystem::remove(path);
  EXPECT_EQ(prompt_of(make_stage(chat_model(), {{"template_file", path.string()}}), chat("hi")),
            "no stage: cannot read the chat template file " + path.string());
  EXPECT_EQ(
      prompt_of(make_stage(chat_model(), {{"template", "a"}, {"template_file", "b"}}), chat("hi")),
      "no stage: name, template and template_file exclude each other: give one of them");
}

TEST(ChatTemplateStage, ChoosesTheTemplateForTools) {
  auto model = chat_model();
  model.set("tokenizer.chat_template.tool_use", std::string_view("tools"));
  auto request = chat("hi");
  request.tools = Value::Array{Value::Object{{"name", "f"}}};
  EXPECT_EQ(prompt_of(make_stage(model), request), "tools");
  EXPECT_EQ(prompt_of(make_stage(model), chat("hi")), "<|user|>[hi]<|end|><|assistant|>");
  EXPECT_EQ(prompt_of(make_stage(model, {{"name", "tool_use"}}), chat("hi")), "tools");
  EXPECT_EQ(prompt_of(make_stage(model, {{"name", "rag"}}), chat("hi")),
            "no stage: memory.gguf has no chat template named 'rag'. It has: default, tool_use.");
}

TEST(ChatTemplateStage, ShowsTheDateItIsGiven) {
  const Value::Object given = {{"template", "{{ strftime_now('%F') }}"}, {"source_date", 86400}};
  EXPECT_EQ(prompt_of(make_stage(chat_model(), given), chat("hi")), "1970-01-02");
}

TEST(ChatTemplateStage, PassesOnWhatTheTemplateRaised) {
  const Value::Object given = {{"template", "{{ raise_exception('no ' ~ enable_thinking) }}"}};
  auto request = chat("hi");
  request.chat_template_kwargs = Value::Object{{"enable_thinking", 1}};
  EXPECT_EQ(prompt_of(make_stage(chat_model(), given), request), "refused: no 1");
}

TEST(ChatTemplateStage, TakesDocumentsFromTheArguments) {
  const Value::Object given = {{"template", "{{ documents[0].text ~ top }}"}};
  auto request = chat("hi");
  request.chat_template_kwargs =
      Value::Object{{"documents", Value::Array{Value::Object{{"text", "doc"}}}}, {"top", 3}};
  EXPECT_EQ(prompt_of(make_stage(chat_model(), given), request), "[doc3]");
}

TEST(ChatTemplateStage, RefusesChatThatBringsAText) {
  auto request = chat("hi");
  request.prompt = {{"text", true}};
  EXPECT_EQ(prompt_of(make_stage(chat_model()), request),
            "refused: a chat request takes messages, but this one brings a text or ids: send it as "
            "a completion");
}

}  // namespace
}  // namespace troupe

TROUPE_CONFORMANCE({.resources = [] { return ::troupe::resources_with(::troupe::chat_model()); }})
