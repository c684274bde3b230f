// Every template in use that lies beside the checkout, against renderings of the reference.
#include "troupe/core/json.h"
#include "troupe/model/chat_template.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace troupe::model {
namespace {

namespace fs = std::filesystem;

fs::path template_folder() {
  const char* data = std::getenv("TROUPE_TEST_DATA");
  return fs::path(data ? data : TROUPE_SOURCE_DIR "/../shared") / "templates";
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

RenderInput input_of(const Value& conversation) {
  RenderInput input;
  using namespace std::chrono;
  input.now = local_days(year(2026) / January / 15) + hours(12);
  input.chat_template_kwargs = Value(Value::Object{});
  for (const auto& [name, value] : conversation.as_object()) {
    if (name == "messages") {
      input.messages = value;
    } else if (name == "tools") {
      input.tools = value;
    } else if (name == "documents") {
      input.documents = value;
    } else if (name == "add_generation_prompt") {
      input.add_generation_prompt = value.as_bool();
    } else {
      input.chat_template_kwargs.set(name, value);
    }
  }
  return input;
}

/// Empty when the result is what the reference gave, else what differs.
std::string difference(const Result<RenderedPrompt>& rendered, const Value& expected) {
  if (const Value* text = expected.find("text")) {
    if (!rendered) return "error: " + rendered.error().message();
    return rendered->text == text->as_string()
               ? ""
               : "got:\n" + rendered->text + "\nexpected:\n" + text->as_string();
  }
  if (rendered) return "rendered, but the reference fails";
  const Value* message = expected.find("error");
  const bool same = !message || rendered.error().message().ends_with(message->as_string());
  return same ? "" : "error: " + rendered.error().message() + "\nexpected: " + message->as_string();
}

TEST(ChatTemplateReference, EveryRenderingEqualsTheReference) {
  const auto folder = template_folder();
  if (!fs::exists(folder / "renderings.json"))
    GTEST_SKIP() << "no reference renderings in " << folder;
  const auto renderings = parse_json(read_file(folder / "renderings.json"));
  const auto conversations = parse_json(read_file(folder / "conversations.json"));
  ASSERT_TRUE(renderings && conversations);
  for (const auto& [file, expected] : renderings->as_object()) {
    const SpecialTokens tokens{"<s>", "</s>", "<unk>", {}};
    const auto parsed = ChatTemplate::parse(read_file(folder / file), tokens);
    ASSERT_TRUE(parsed) << file << ": " << parsed.error().message();
    for (const auto& [name, reference] : expected.as_object()) {
      const auto rendered = parsed->render(input_of(*conversations->find(name)));
      EXPECT_EQ(difference(rendered, reference), "") << file << ", " << name;
    }
  }
}

}  // namespace
}  // namespace troupe::model
