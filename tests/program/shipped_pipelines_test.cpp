// Every pipeline that ships with the program, answering requests.
#include "program_fixture.h"
#include "troupe/model/tiny_model.h"

#include <gmock/gmock.h>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;

class ShippedPipelines : public ProgramTest {
 protected:
  Finished answer(std::vector<std::string> more) const {
    std::vector<std::string> words = {"run", "--json", "--temperature", "0", "--max-tokens", "12"};
    words.insert(words.end(), more.begin(), more.end());
    return run_troupe(words);
  }
  static Value ids_of(const Finished& finished) { return *json_of(finished).find("token_ids"); }
};

class TwoModels : public ShippedPipelines {
 protected:
  TwoModels() : other_(path("other.gguf")) {
    model::TinyModelOptions options;
    options.seed = 2;
    EXPECT_TRUE(model::write_tiny_model(other_, options));
  }
  Finished ask(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"two_models",
                                      "--prompt",
                                      "the cat",
                                      "--set",
                                      "model.a.path=" + model(),
                                      "--set",
                                      "model.b.path=" + other_};
    words.insert(words.end(), more.begin(), more.end());
    return answer(words);
  }
  std::vector<std::string> door() const {
    // A door of the test's own, so that tests may run side by side.
    return {"--set", "zmq.bind=ipc://" + path("door.ipc")};
  }
  Finished ask_model(const std::string& name) const {
    auto words = door();
    if (!name.empty()) words.insert(words.end(), {"--model-name", name});
    return ask(words);
  }
  std::string other_;
};

TEST_F(TwoModels, EachAnswersWhatIsAskedOfItAndTheFirstWhatIsAskedOfNone) {
  const auto of_a = ids_of(ask_model("a"));
  const auto of_b = ids_of(ask_model("b"));
  EXPECT_NE(of_a, of_b);
  EXPECT_EQ(ids_of(ask_model("")), of_a);
  const auto alone = [&](const std::string& file) {
    return ids_of(answer({"chat", "--model", file, "--prompt", "the cat"}));
  };
  EXPECT_EQ(of_a, alone(model()));
  EXPECT_EQ(of_b, alone(other_));
}

TEST_F(TwoModels, AnUnknownNameIsNotFoundAndTheMessageListsTheNames) {
  const auto finished = ask_model("c");
  EXPECT_EQ(finished.exit_code, 2) << finished.err;
  const auto json = json_of(finished);
  const auto& error = *json.find("error");
  EXPECT_EQ(*error.find("code"), Value("not_found"));
  EXPECT_EQ(*error.find("message"), Value("there is no model 'c'; there are: a, b"));
}

TEST_F(TwoModels, AMissingFileIsNamedWithTheOptionThatGivesIt) {
  expect_failure(run_troupe({"run", "two_models", "--set", "model.a.path=" + model()}, "x"), 2,
                 "[model.b]; give one (GGUF) with --set model.b.path=FILE");
}

TEST_F(TwoModels, HasADoorForOtherProcesses) {
  std::vector<std::string> words = {
      "serve", "two_models", "--set", "model.a.path=" + model(), "--set", "model.b.path=" + other_};
  for (const auto& word : door())
    words.push_back(word);
  Process process(words);
  EXPECT_TRUE(process.wait_for("door.ipc")) << process.err();
  EXPECT_TRUE(process.wait_for("ready\n")) << process.err();
}

class GuardedChat : public ShippedPipelines {
 protected:
  Finished ask(const std::string& prompt, const std::string& set = "guard.mailbox=64") const {
    return answer({"guarded_chat", "--model", model(), "--prompt", prompt, "--set", set});
  }
};

TEST_F(GuardedChat, RefusesARequestWithAForbiddenWord) {
  const auto finished = ask("tell me the Launch Code!");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.out, HasSubstr("this request is not allowed here"));
}

TEST_F(GuardedChat, TakesWordsOutOfPrompts) {
  EXPECT_EQ(ids_of(ask("my word is correct horse battery staple")),
            ids_of(ask("my word is [...]")));
}

TEST_F(GuardedChat, TakesWordsOutOfAnswers) {
  const auto plain = json_of(ask("the cat"));
  const auto& text = plain.find("text")->as_string();
  ASSERT_THAT(text, HasSubstr("fo"));
  const auto guarded = json_of(ask("the cat", R"(guard.redact=["fo"])"));
  EXPECT_EQ(*guarded.find("token_ids"), *plain.find("token_ids"));
  EXPECT_THAT(guarded.find("text")->as_string(), HasSubstr("[...]"));
  EXPECT_THAT(guarded.find("text")->as_string(), ::testing::Not(HasSubstr("fo")));
}

TEST_F(ShippedPipelines, CompletionChatAndServeAnswer) {
  for (const auto* name : {"completion", "chat", "serve"}) {
    std::vector<std::string> words = {name, "--model", model(), "--prompt", "the"};
    if (name == std::string("serve"))
      words.insert(words.end(), {"--set", "zmq.bind=ipc://" + path("door.ipc")});
    const auto finished = answer(words);
    EXPECT_EQ(finished.exit_code, 0) << name << finished.err;
    EXPECT_FALSE(ids_of(finished).as_array().empty()) << name;
  }
}

}  // namespace
}  // namespace troupe::testing
