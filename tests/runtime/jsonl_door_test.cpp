#include "runtime_fixture.h"
#include "troupe/core/json.h"

#include <filesystem>
#include <fstream>
#include <map>

namespace troupe::testing {
namespace {
namespace fs = std::filesystem;

class JsonlDoor : public RuntimeTest {
 protected:
  JsonlDoor() {
    std::string name = (fs::temp_directory_path() / "troupe-jsonl-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~JsonlDoor() override { fs::remove_all(folder_); }

  std::string input() const { return (folder_ / "in.jsonl").string(); }
  std::string output() const { return (folder_ / "out.jsonl").string(); }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }

  std::string batch_pipeline() const {
    auto toml = plain_pipeline();
    const std::string plugin = "plugin = \"embed\"";
    return toml.replace(toml.find(plugin), plugin.size(),
                        "plugin = \"jsonl\"\nparams = { window = 4, input = \"" + input() +
                            "\", output = \"" + output() + "\" }");
  }

  void run_batch() {
    auto engine = open(batch_pipeline());
    ASSERT_TRUE(engine);
    EXPECT_TRUE(engine->wait_finished(std::chrono::seconds(30)));
    EXPECT_TRUE(engine->close(std::chrono::seconds(5)));
  }

  /// The results by id; each must stand there once.
  std::map<std::string, Value> results() const {
    std::map<std::string, Value> all;
    std::ifstream in(output());
    for (std::string line; std::getline(in, line);) {
      auto value = parse_json(line).value();
      const auto* id = value.find("id") ? value.find("id") : value.find("custom_id");
      EXPECT_TRUE(all.emplace(id->as_string(), value).second) << line;
    }
    return all;
  }

  static Value ids_of(std::string_view text, std::int64_t count) {
    Value::Array ids;
    for (const auto id : expected_ids(text, count))
      ids.emplace_back(static_cast<std::int64_t>(id));
    return ids;
  }

  fs::path folder_;
};

TEST_F(JsonlDoor, AnswersEveryLineOfBothKinds) {
  std::string lines;
  for (int i = 0; i < 20; ++i)
    lines += R"({"id":"p)" + std::to_string(i) + R"(","prompt":"prompt )" + std::to_string(i) +
             R"(","max_tokens":6,"temperature":0})" + "\n\n";
  lines +=
      R"({"custom_id":"o","method":"POST","url":"/v1/completions","body":{"prompt":"hello","max_tokens":6,"temperature":0}})";
  write(input(), lines);
  run_batch();
  const auto all = results();
  ASSERT_EQ(all.size(), 21u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(*all.at("p" + std::to_string(i)).find("token_ids"),
              ids_of("prompt " + std::to_string(i), 6))
        << i;
  EXPECT_EQ(*all.at("o").find("token_ids"), ids_of("hello", 6));
  EXPECT_EQ(all.at("o").find("usage")->find("prompt_tokens")->as_int(), 5);
}

TEST_F(JsonlDoor, WritesAnErrorForABadLineAndGoesOn) {
  write(input(),
        "{\"id\":\"a\",\"prompt\":\n{\"id\":\"b\",\"prompt\":\"x\",\"top_p\":7}\n"
        "{\"id\":\"c\",\"prompt\":\"hello\",\"max_tokens\":3,\"temperature\":0}\n"
        "{\"id\":\"d\",\"prompt\":\"what?\"}\n");
  run_batch();
  const auto all = results();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_NE(all.at("line-1").find("error")->find("message")->as_string().find("not valid JSON"),
            std::string::npos);
  EXPECT_NE(all.at("b").find("error")->find("message")->as_string().find("top_p"),
            std::string::npos);
  EXPECT_EQ(*all.at("c").find("token_ids"), ids_of("hello", 3));
  EXPECT_EQ(all.at("d").find("error")->find("message")->as_string(), "found '?'; expected letters");
}

TEST_F(JsonlDoor, GoesOnWhereAnEarlierRunEnded) {
  write(input(),
        "{\"id\":\"a\",\"prompt\":\"hello\",\"max_tokens\":3,\"temperature\":0}\n"
        "{\"id\":\"b\",\"prompt\":\"world\",\"max_tokens\":3,\"temperature\":0}\n"
        "{\"id\":\"c\",\"prompt\":\"again\",\"max_tokens\":3,\"temperature\":0}\n");
  // a is done, b failed, the line of c was cut off.
  write(output(),
        "{\"id\":\"a\",\"text\":\"kept as it "
        "is\"}\n{\"id\":\"b\",\"error\":{\"code\":\"deadline\"}}\n{\"id\":\"c\",\"te");
  run_batch();
  const auto all = results();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at("a").find("text")->as_string(), "kept as it is");
  EXPECT_EQ(*all.at("b").find("token_ids"), ids_of("world", 3));
  EXPECT_EQ(*all.at("c").find("token_ids"), ids_of("again", 3));
}

TEST_F(JsonlDoor, RefusesAnOutputThatHoldsSomethingElse) {
  write(input(), "{\"id\":\"a\",\"prompt\":\"hello\"}\n");
  write(output(), "{\"precious\":\"data\"}\n{\"more\":\"data\"}\n");
  auto spec = pipeline::load_pipeline(pipeline::PipelineSource{batch_pipeline(), "test.toml"}, {},
                                      catalog_);
  ASSERT_TRUE(spec);
  auto engine = Engine::open(*spec, catalog_);
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().message().find("line 1 has no id"), std::string::npos);
  std::ifstream in(output());
  std::string first;
  std::getline(in, first);
  EXPECT_EQ(first, "{\"precious\":\"data\"}");
}

TEST_F(JsonlDoor, TellsAnIdThatStandsTwice) {
  write(input(),
        "{\"id\":\"a\",\"prompt\":\"hello\",\"max_tokens\":3,\"temperature\":0}\n"
        "{\"id\":\"a\",\"prompt\":\"world\",\"max_tokens\":3,\"temperature\":0}\n");
  auto engine = open(batch_pipeline());
  ASSERT_TRUE(engine->wait_finished(std::chrono::seconds(30)));
  engine.reset();
  std::ifstream in(output());
  std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(text.find("stands in an earlier line as well"), std::string::npos) << text;
}

TEST_F(JsonlDoor, LosesNothingWhenItIsStoppedInTheMiddle) {
  script().executor_step_us = 2000;
  std::string lines;
  for (int i = 0; i < 40; ++i)
    lines += R"({"id":")" + std::to_string(i) +
             R"(","prompt":"hello","max_tokens":20,"temperature":0})" + "\n";
  write(input(), lines);
  {
    auto engine = open(batch_pipeline());
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    EXPECT_TRUE(engine->close(std::chrono::milliseconds(0)));
  }
  EXPECT_LT(results().size(), 40u);
  script().executor_step_us = 0;
  run_batch();
  const auto all = results();
  EXPECT_EQ(all.size(), 40u);
  for (const auto& [id, result] : all)
    EXPECT_EQ(*result.find("token_ids"), ids_of("hello", 20)) << id;
}

TEST_F(JsonlDoor, LosesNoRequestToAFullQueue) {
  script().executor_step_us = 500;
  const auto sent = std::make_shared<std::atomic<int>>(0);
  script().on_request = [sent](Request&) {
    ++*sent;
    return StageVerdict{};
  };
  std::string lines;
  for (int i = 0; i < 30; ++i)
    lines += R"({"id":")" + std::to_string(i) +
             R"(","prompt":"hello","max_tokens":3,"temperature":0})" + "\n";
  write(input(), lines);
  auto toml = batch_pipeline();
  const std::string window = "window = 4", table = "[operators.scheduler]\n";
  toml.replace(toml.find(window), window.size(), "window = 30");
  toml.insert(toml.find(table) + table.size(), "mailbox = 2\nparams = { max_waiting = 8 }\n");
  auto engine = open(toml);
  ASSERT_TRUE(engine);
  EXPECT_TRUE(engine->wait_finished(std::chrono::seconds(60)));
  EXPECT_TRUE(engine->close(std::chrono::seconds(5)));
  EXPECT_GT(*sent, 30);  // otherwise no queue was full and nothing was tested
  const auto all = results();
  ASSERT_EQ(all.size(), 30u);
  for (const auto& [id, result] : all) {
    ASSERT_FALSE(result.find("error")) << to_json(result);
    EXPECT_EQ(*result.find("token_ids"), ids_of("hello", 3)) << id;
  }
}

}  // namespace
}  // namespace troupe::testing
