#include "program_fixture.h"

#include "troupe/core/json.h"
#include "troupe/model/tiny_model.h"

#include <gmock/gmock.h>

#include <fstream>
#include <unistd.h>

namespace troupe::testing {
namespace fs = std::filesystem;

ProgramTest::ProgramTest() {
  std::string name = (fs::temp_directory_path() / "troupe-program-XXXXXX").string();
  folder_ = mkdtemp(name.data());
  model_ = path("tiny.gguf");
  const auto written = model::write_tiny_model(model_);
  EXPECT_TRUE(written) << written.error().message();
}

ProgramTest::~ProgramTest() {
  fs::remove_all(folder_);
}

std::string ProgramTest::write_file(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
  return path(name);
}

std::string ProgramTest::endless_pipeline() const {
  return chat_pipeline("endless", "plugin = \"embed\"",
                       "plugin = \"null\"\nparams = { vocab_size = 384, token = 70 }");
}

std::string ProgramTest::chat_pipeline(const std::string& name, const std::string& door,
                                       const std::string& executor) const {
  return write_file(name + ".toml", "[pipeline]\nname = \"" + name + R"("
api = 1
flow = [
  "client -> template -> tokenizer -> scheduler",
  "scheduler -> tokenizer -> client",
  "scheduler <-> kv_cache",
  "scheduler -> executor -> sampler -> scheduler",
]
[operators.client]
kind = "ingress"
)" + door + R"(
[operators.template]
kind = "stage"
plugin = "chat_template"
params = { model = "default" }
[operators.tokenizer]
kind = "tokenizer"
plugin = "bpe"
params = { model = "default" }
[operators.scheduler]
kind = "scheduler"
plugin = "continuous"
[operators.kv_cache]
kind = "kv_cache"
plugin = "paged"
[operators.executor]
kind = "executor"
)" + executor + R"(
[operators.sampler]
kind = "sampler"
plugin = "gumbel"
[model.default]
path = ")" + model_ + "\"\n");
}

Value ProgramTest::json_of(const Finished& finished) {
  auto json = parse_json(finished.out);
  EXPECT_TRUE(json) << finished.out << finished.err;
  return json ? *json : Value();
}

void ProgramTest::expect_failure(const Finished& finished, int exit_code,
                                 const std::string& message) {
  EXPECT_EQ(finished.exit_code, exit_code) << finished.out << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, ::testing::StartsWith("error: "));
  EXPECT_THAT(finished.err, ::testing::HasSubstr(message));
}

}  // namespace troupe::testing
