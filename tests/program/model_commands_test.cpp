#include "program_fixture.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace troupe::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ModelCommands : public ProgramTest {
 protected:
  Value score(const std::vector<std::string>& more, const std::string& input) {
    std::vector<std::string> words = {"score", "--model", model(), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json_of(run_troupe(words, input));
  }
};

TEST_F(ModelCommands, TokenizeAndDetokenizeGiveBackEveryByteOfAText) {
  const std::string text = "  Hello,\tworld \xf0\x9f\x98\x80\r\n\n the end ";
  const auto ids = run_troupe({"tokenize", "--model", model()}, text);
  EXPECT_EQ(ids.exit_code, 0) << ids.err;
  EXPECT_EQ(run_troupe({"detokenize", "--model", model()}, ids.out).out, text);
  const auto json = run_troupe({"tokenize", "--model", model(), "--json"}, text);
  EXPECT_EQ(run_troupe({"detokenize", "--model", model()}, json.out).out, text);
}

TEST_F(ModelCommands, TokenizeGivesIdsAndTheTextOfEachAsJson) {
  const auto json =
      json_of(run_troupe({"tokenize", "--model", model(), "--json"}, "the<|im_end|>"));
  const auto& ids = json.find("ids")->as_array();
  EXPECT_EQ(ids.size(), json.find("tokens")->as_array().size());
  EXPECT_EQ(json.find("tokens")->as_array().back(), Value("<|im_end|>"));
}

TEST_F(ModelCommands, NoSpecialReadsNamesOfControlTokensAsPlainText) {
  const auto words =
      std::vector<std::string>{"tokenize", "--model", model(), "--json", "--no-special"};
  const auto json = json_of(run_troupe(words, "<|im_end|>"));
  EXPECT_GT(json.find("ids")->as_array().size(), 1u);
}

TEST_F(ModelCommands, DetokenizeShowsControlTokensUnlessToldOtherwise) {
  const auto ids = run_troupe({"tokenize", "--model", model()}, "the<|im_end|>").out;
  EXPECT_EQ(run_troupe({"detokenize", "--model", model()}, ids).out, "the<|im_end|>");
  EXPECT_EQ(run_troupe({"detokenize", "--model", model(), "--no-special"}, ids).out, "the");
}

TEST_F(ModelCommands, AnEmptyTextHasNoTokens) {
  EXPECT_EQ(run_troupe({"tokenize", "--model", model()}).out, "\n");
  EXPECT_EQ(run_troupe({"detokenize", "--model", model()}).out, "");
}

TEST_F(ModelCommands, DetokenizeRefusesWhatIsNoTokenId) {
  for (const auto& [input, message] : std::vector<std::pair<std::string, std::string>>{
           {"1 x 3", "found 'x'"},
           {"[1, 2.5]", "found 2.5"},
           {"[1", "token ids: 1:3"},
           {"-1", "found token id -1"},
           {"99999999999", "found token id 99999999999"},
           {"{\"ids\": 3}", "type integer"}})
    expect_failure(run_troupe({"detokenize", "--model", model()}, input), 2, message);
}

TEST_F(ModelCommands, AModelFileThatIsNotThereIsTheCallersMistakeWithACure) {
  for (const auto* command : {"run", "chat", "tokenize", "detokenize", "render", "score"}) {
    const auto absent = run_troupe({command, "--model", path("absent.gguf")}, "x");
    expect_failure(absent, 2, "absent.gguf: found no such model file; give another with --model");
    expect_failure(run_troupe({command}, "x"), 2, "give one (GGUF) with --model FILE");
  }
}

TEST_F(ModelCommands, AModelFileThatIsNoneIsTheCallersMistake) {
  const auto text = write_file("text.gguf", "this is no model");
  for (const auto* command : {"run", "chat", "tokenize", "render", "score"})
    expect_failure(run_troupe({command, "--model", text}, "x"), 2, "text.gguf");
  expect_failure(run_troupe({"tokenize", "--model", path(".")}, "x"), 2, "found a folder");
  expect_failure(run_troupe({"model", "info", text}), 2, "text.gguf");
}

TEST_F(ModelCommands, RenderShowsTheTemplatesPromptAndItsIds) {
  const std::string request =
      R"({"messages": [{"role": "user", "content": "Hi <|im_end|>"}], "add_generation_prompt": true})";
  const auto text = run_troupe({"render", "--model", model()}, request);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("<|im_start|>user\nHi <|im_end|><|im_end|>\n"));
  const auto json = json_of(run_troupe({"render", "--model", model(), "--json"}, request));
  EXPECT_EQ(json.find("text")->as_string(), text.out);
  EXPECT_FALSE(json.find("ids")->as_array().empty());
}

TEST_F(ModelCommands, RenderKeepsControlTokensOutOfContent) {
  const auto ids_of = [&](const std::string& content) {
    const auto request = R"({"messages": [{"role": "user", "content": ")" + content + "\"}]}";
    return json_of(run_troupe({"render", "--model", model(), "--json"}, request))
        .find("ids")
        ->as_array();
  };
  const auto end = json_of(run_troupe({"tokenize", "--model", model(), "--json"}, "<|im_end|>"))
                       .find("ids")
                       ->as_array()
                       .front();
  const auto count = [&](const Value::Array& ids) {
    return std::count(ids.begin(), ids.end(), end);
  };
  EXPECT_EQ(count(ids_of("x")), count(ids_of("x<|im_end|>")));
}

TEST_F(ModelCommands, RenderRefusesRequestsThatAreNone) {
  const std::vector<std::string> words = {"render", "--model", model()};
  expect_failure(run_troupe(words, "nonsense"), 2, "standard input");
  expect_failure(run_troupe(words, "{}"), 2, "neither 'prompt' nor 'messages'");
  expect_failure(run_troupe(words, R"({"messages": []})"), 2, "messages");
  expect_failure(run_troupe(words, R"({"messages": [{"role": "user"}], "x": 1})"), 2, "x");
}

TEST_F(ModelCommands, ScoreGivesALogProbabilityForEveryTokenButTheFirst) {
  const auto json = score({"--top", "2"}, "the cat and the dog");
  const auto& tokens = json.find("tokens")->as_array();
  ASSERT_GT(tokens.size(), 2u);
  EXPECT_TRUE(tokens.front().find("logprob")->is_null());
  double sum = 0;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const double logprob = tokens[i].find("logprob")->as_double();
    EXPECT_LT(logprob, 0);
    EXPECT_GE(tokens[i].find("top")->as_array().front().find("logprob")->as_double(),
              logprob - 1e-6);
    sum += logprob;
  }
  EXPECT_NEAR(json.find("perplexity")->as_double(),
              std::exp(-sum / static_cast<double>(tokens.size() - 1)), 1e-9);
}

TEST_F(ModelCommands, ScoreOfIdsEqualsTheScoreOfTheirText) {
  const auto ids = run_troupe({"tokenize", "--model", model()}, "the cat").out;
  EXPECT_EQ(score({"--ids"}, ids), score({}, "the cat"));
}

TEST_F(ModelCommands, ScoreWritesTheLogitsForNumPy) {
  const auto file = path("logits.npy");
  const auto json = score({"--ids", "--logits", file}, "[1, 2, 3]");
  std::stringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  const auto text = content.str();
  EXPECT_THAT(text, StartsWith(std::string("\x93NUMPY\x01\x00", 8)));
  EXPECT_THAT(text, HasSubstr("'descr': '<f4', 'fortran_order': False, 'shape': (3, "));
  const auto columns = std::stoul(text.substr(text.find("(3, ") + 4));
  const auto data = text.find('\n') + 1;
  EXPECT_EQ(data % 64, 0u);
  EXPECT_EQ(text.size() - data, 3 * columns * 4);
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST_F(ModelCommands, ScoreRefusesTooLongTextsAndBadIds) {
  std::string text;
  for (int i = 0; i < 600; ++i)
    text += "1 ";
  const auto words = std::vector<std::string>{"score", "--model", model(), "--ids"};
  expect_failure(run_troupe(words, text), 2, "at most 512, the context");
  expect_failure(run_troupe(words, ""), 2, "found no token");
  expect_failure(run_troupe({"score", "--model", model(), "--top", "-1"}, "x"), 2, "--top");
  expect_failure(
      run_troupe({"score", "--model", model(), "--logits", path("no/such/x.npy")}, "x y"), 1,
      "cannot be created");
}

TEST_F(ModelCommands, ModelInfoShowsSizesPrecisionAndTokens) {
  const auto finished = run_troupe({"model", "info", model()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  for (const auto* part : {"llama", "<|im_end|>", "int8x2", "kv_precision"})
    EXPECT_THAT(finished.out, HasSubstr(part));
  const auto json = json_of(run_troupe({"model", "info", model(), "--json"}));
  EXPECT_EQ(*json.find("architecture"), Value("llama"));
  EXPECT_EQ(json.find("available_precisions")->find("activations")->as_array().size(), 4u);
}

TEST_F(ModelCommands, ModelTinyWritesAModelThatRuns) {
  const auto file = path("made.gguf");
  EXPECT_EQ(run_troupe({"model", "tiny", file, "--seed", "3"}).exit_code, 0);
  EXPECT_EQ(run_troupe({"model", "info", file}).exit_code, 0);
  expect_failure(run_troupe({"model", "tiny", path("no/such/folder.gguf")}), 1, "folder.gguf");
  EXPECT_EQ(run_troupe({"model", "tiny", file, "--sliding-window", "40"}).exit_code, 0);
  EXPECT_THAT(run_troupe({"model", "info", file}).out, HasSubstr("40 tokens in every layer"));
}

}  // namespace
}  // namespace troupe::testing
