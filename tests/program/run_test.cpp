#include "program_fixture.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Run : public ProgramTest {
 protected:
  Finished run(std::vector<std::string> more, const std::string& input = {}) {
    std::vector<std::string> words = {"run", "--model", model(), "--max-tokens", "12"};
    words.insert(words.end(), more.begin(), more.end());
    return run_troupe(words, input);
  }
};

TEST_F(Run, StreamsTheTextToStandardOutputAndNothingElse) {
  const auto finished = run({"--prompt", "the cat", "--temperature", "0"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_FALSE(finished.out.empty());
  EXPECT_EQ(finished.err, "");
}

TEST_F(Run, TakesThePromptFromStandardInputToo) {
  const auto given = run({"--prompt", "the cat", "--seed", "5"});
  EXPECT_EQ(run({"--seed", "5"}, "the cat").out, given.out);
}

TEST_F(Run, EqualSeedsGiveEqualAnswers) {
  EXPECT_EQ(run({"--prompt", "the", "--seed", "9"}).out,
            run({"--prompt", "the", "--seed", "9"}).out);
}

TEST_F(Run, ThreadsDoNotChangeTheAnswer) {
  EXPECT_EQ(run({"--prompt", "the", "--seed", "9", "--threads", "1"}).out,
            run({"--prompt", "the", "--seed", "9", "--threads", "3"}).out);
}

TEST_F(Run, GivesOneJsonObjectWithTextIdsUsageAndTimings) {
  const auto json = json_of(run({"--prompt", "the cat", "--json", "--seed", "1"}));
  for (const auto* key : {"text", "token_ids", "finish_reason", "usage", "timings"})
    EXPECT_NE(json.find(key), nullptr) << key;
  for (const auto* key : {"queue_ms", "prefill_ms", "ttft_ms", "tpot_ms", "e2e_ms"})
    EXPECT_NE(json.find("timings")->find(key), nullptr) << key;
  EXPECT_EQ(*json.find("usage")->find("completion_tokens"),
            Value(static_cast<std::int64_t>(json.find("token_ids")->as_array().size())));
}

TEST_F(Run, TakesFurtherFieldsOfTheRequestAsJson) {
  const auto several = json_of(run({"--raw", "--prompt", "the cat", "--json", "--fields",
                                    R"({"n": 2, "echo": true, "logprobs": 1, "min_p": 0.1})"}));
  ASSERT_NE(several.find("choices"), nullptr);
  const auto& choices = several.find("choices")->as_array();
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_THAT(choices[1].find("text")->as_string(), StartsWith("the cat"));
  EXPECT_NE(choices[0].find("logprobs"), nullptr);
  EXPECT_NE(several.find("prompt_logprobs"), nullptr);
  expect_failure(run({"--prompt", "x", "--fields", R"({"xtc": 1})"}), 2, "unknown field 'xtc'");
  expect_failure(run({"--prompt", "x", "--fields", R"({"n": 2})"}), 2, "n = 2: expected 1");
}

TEST_F(Run, RawGivesThePromptToTheModelAsItIs) {
  const auto raw = json_of(run({"--raw", "--prompt", "the", "--json"}));
  const auto chat = json_of(run({"--prompt", "the", "--json"}));
  EXPECT_LT(raw.find("usage")->find("prompt_tokens")->as_int(),
            chat.find("usage")->find("prompt_tokens")->as_int());
}

TEST_F(Run, TakesAnyTextAsAValue) {
  for (const auto* text : {"[a, b]", "{}", "--json", "-x", "=", "a=b;c", "%s%n", "\n"}) {
    const auto finished = run({"--prompt", text});
    EXPECT_EQ(finished.exit_code, 0) << text << ": " << finished.err;
  }
  EXPECT_EQ(run({"--prompt=the", "--stop", "{}", "--stop=[x]"}).exit_code, 0);
}

TEST_F(Run, AnEmptyPromptIsRefusedFromWhereverItComes) {
  expect_failure(run({"--prompt", ""}), 2, "found no prompt");
  expect_failure(run({"--raw", "--prompt=", "--seed", "1"}), 2, "found no prompt");
  expect_failure(run({}, ""), 2, "found no prompt");
}

TEST_F(Run, WithoutAChatTemplateThePromptGoesToTheModelAsItIs) {
  const auto plain = json_of(run({"completion", "--prompt", "the", "--json", "--seed", "7"}));
  const auto raw = json_of(run({"--raw", "--prompt", "the", "--json", "--seed", "7"}));
  EXPECT_EQ(*plain.find("text"), *raw.find("text"));
  EXPECT_EQ(*plain.find("usage")->find("prompt_tokens"), *raw.find("usage")->find("prompt_tokens"));
}

TEST_F(Run, AModelNameNeedsARouterThatLooksAtIt) {
  expect_failure(run({"--prompt", "x", "--model-name", "b"}), 2, "has no router");
}

TEST_F(Run, SamplingValuesOutOfRangeAreRefusedByName) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--temperature", "-1"}, "temperature = -1"},
      {{"--temperature", "nan"}, "temperature"},
      {{"--top-p", "-0.1"}, "top_p = -0.1"},
      {{"--top-p", "1.5"}, "top_p = 1.5"},
      {{"--min-p", "2"}, "min_p = 2"},
      {{"--top-k", "-2"}, "top_k = -2"},
      {{"--repetition-penalty", "0"}, "repetition_penalty"},
      {{"--presence-penalty", "3"}, "presence_penalty"}};
  for (const auto& [options, message] : wrong) {
    auto words = options;
    words.insert(words.end(), {"--prompt", "x"});
    expect_failure(run(words), 2, message);
  }
}

TEST_F(Run, APromptLongerThanTheContextNamesBothNumbers) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "zq ";
  expect_failure(run({}, text), 2, "512");
}

TEST_F(Run, WithJsonAnErrorIsPartOfTheObject) {
  std::string long_text;
  for (int i = 0; i < 2000; ++i)
    long_text += "zq ";
  const auto finished = run({"--raw", "--json"}, long_text);
  EXPECT_EQ(finished.exit_code, 2);
  const auto json = json_of(finished);
  ASSERT_NE(json.find("error"), nullptr);
  EXPECT_EQ(*json.find("error")->find("code"), Value("invalid_argument"));
}

TEST_F(Run, ContextLongerThanTheModelsIsRefused) {
  expect_failure(run({"--prompt", "x", "--context", "100000"}), 2, "512");
}

TEST_F(Run, CtrlCEndsAnAnswerWithWhatThereIs) {
  Process process({"run", endless_pipeline(), "--temperature", "0", "--prompt", "x"});
  process.close_input();
  ASSERT_TRUE(process.wait_for("CCC")) << process.err();
  process.send_signal(SIGINT);
  const auto finished = process.wait();
  EXPECT_EQ(finished.exit_code, 1) << finished.err;
  EXPECT_EQ(finished.signal, 0);
  EXPECT_FALSE(finished.out.empty());
}

TEST_F(Run, AReaderThatLeavesEndsTheProgram) {
  const auto command = std::string(TROUPE_BINARY_DIR) + "/bin/troupe run " + endless_pipeline() +
                       " --temperature 0 --prompt x 2> /dev/null | head -c 10 > /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
}

}  // namespace
}  // namespace troupe::testing
