#include "troupe/core/request_json.h"

#include "troupe/core/json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

Result<Request> parse(const std::string& json) {
  return parse_request(parse_json(json).value(), Time{});
}

std::string error_of(const std::string& json) {
  const auto request = parse(json);
  return request ? "" : request.error().message();
}

TEST(RequestJson, ReadsAPromptWithItsParameters) {
  const auto request =
      parse(R"({"id":"7","prompt":"Hi","max_tokens":5,"temperature":0,"top_k":40,"seed":3,
    "stop":["a","b"],"logit_bias":{"12":-1.5},"n":2,"stream":true,"timeout_ms":1500})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->kind, RequestKind::completion);
  EXPECT_EQ(request->client_id, "7");
  EXPECT_EQ(request->prompt, (std::vector<PromptPiece>{{"Hi", false}}));
  EXPECT_EQ(request->stop.max_tokens, 5);
  EXPECT_EQ(request->stop.stop, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request->sampling.temperature, 0);
  EXPECT_EQ(request->sampling.top_k, 40);
  EXPECT_EQ(request->sampling.seed, 3u);
  EXPECT_EQ(request->sampling.logit_bias, (std::vector<std::pair<TokenId, float>>{{12, -1.5f}}));
  EXPECT_EQ(request->n, 2);
  EXPECT_TRUE(request->stream);
  EXPECT_EQ(request->deadline, Time{} + std::chrono::milliseconds(1500));
}

TEST(RequestJson, ReadsMessagesAsTheyAre) {
  const auto request =
      parse(R"({"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"tools":[]})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->kind, RequestKind::chat);
  EXPECT_TRUE(request->messages.at(0).find("content")->is_array());
  EXPECT_TRUE(request->tools.is_array());
}

TEST(RequestJson, ReadsTokenIdsAsAPrompt) {
  EXPECT_EQ(parse(R"({"prompt":[1,2,3]})")->prompt_ids, (std::vector<TokenId>{1, 2, 3}));
  EXPECT_EQ(error_of(R"({"prompt":[1,-2]})"),
            "prompt: found -2; expected an integer from 0 to 2147483647 at each place");
}

TEST(RequestJson, TakesNullForAbsentAndZeroForZero) {
  const auto request =
      parse(R"({"prompt":"x","temperature":null,"top_k":0,"max_tokens":0,"stop":null})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->sampling.temperature, 1.0f);
  EXPECT_EQ(request->sampling.top_k, 0);
  EXPECT_EQ(request->stop.max_tokens, 0);
}

TEST(RequestJson, WantsExactlyOneInput) {
  EXPECT_EQ(error_of("{}"), "found neither 'prompt' nor 'messages'; expected one of them");
  EXPECT_EQ(error_of(R"({"prompt":"x","messages":[{"role":"user"}]})"),
            "found both 'prompt' and 'messages'; expected one of them");
  EXPECT_EQ(error_of("[]"), "found an array; expected a JSON object");
}

TEST(RequestJson, NamesAnUnknownFieldAndTheNearestKnown) {
  const auto message = error_of(R"({"prompt":"x","temprature":1})");
  EXPECT_NE(message.find("unknown field 'temprature'; did you mean 'temperature'?"),
            std::string::npos)
      << message;
}

TEST(RequestJson, ListsEachKnownFieldOnce) {
  const auto message = error_of(R"({"prompt":"x","qqqqqqqq":1})");
  for (const std::string field : {" prompt,", " messages,", " logprobs,"}) {
    const auto at = message.find(field);
    ASSERT_NE(at, std::string::npos) << message;
    EXPECT_EQ(message.find(field, at + 1), std::string::npos) << message;
  }
}

TEST(RequestJson, ARenderRequestHasWhatAPromptIsMadeOfAndNothingElse) {
  const auto request = parse_render_request(
      parse_json(R"({"messages":[{"role":"user"}],"tools":[],"add_generation_prompt":false})")
          .value());
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->messages.size(), 1u);
  EXPECT_FALSE(request->add_generation_prompt);
  const auto refused =
      parse_render_request(parse_json(R"({"prompt":"x","temperature":1})").value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "unknown field 'temperature'; there are: prompt, messages, tools, "
            "chat_template_kwargs, add_generation_prompt");
}

TEST(RequestJson, ReadsAnOpenAiBatchLine) {
  const auto request = parse_openai_batch_line(
      parse_json(
          R"({"custom_id":"a","method":"POST","url":"/v1/completions","body":{"prompt":"x"}})")
          .value(),
      Time{});
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->client_id, "a");
  EXPECT_EQ(
      parse_openai_batch_line(parse_json(R"({"custom_id":"a"})").value(), Time{}).error().message(),
      "body: found nothing; expected a request");
}

TEST(RequestJson, ReadsBestOfAndEcho) {
  const auto request = parse(R"({"prompt":"x","n":2,"best_of":4,"echo":true})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->best_of, 4);
  EXPECT_TRUE(request->echo);
  EXPECT_FALSE(request->wants_prompt_logprobs());
  EXPECT_NE(error_of(R"({"prompt":"x","n":2,"best_of":1})").find("best_of = 1"), std::string::npos);
  EXPECT_NE(error_of(R"({"messages":[{"role":"user","content":""}],"echo":true})").find("echo"),
            std::string::npos);
}

TEST(RequestJson, EchoWithLogprobsAsksForThoseOfThePrompt) {
  EXPECT_EQ(parse(R"({"prompt":"x","echo":true,"logprobs":3})")->sampling.prompt_logprobs, 3);
  EXPECT_EQ(parse(R"({"prompt":"x","echo":true,"logprobs":3,"prompt_logprobs":0})")
                ->sampling.prompt_logprobs,
            0);
  EXPECT_EQ(parse(R"({"prompt":"x","logprobs":3})")->sampling.prompt_logprobs, -1);
}

/// What a message may call a field: its own name or, once it is read, the first of its names.
std::string first_name(const std::string& field) {
  if (field == "typ_p") return "typical_p";
  return field == "repeat_penalty" ? "repetition_penalty" : field;
}

/// Every numeric field with every hostile value: taken or refused with the field's name, never
/// anything else.
TEST(RequestJson, RefusesOrTakesEveryHostileValueOfEveryField) {
  const std::vector<std::string> fields = {"temperature",
                                           "top_k",
                                           "top_p",
                                           "min_p",
                                           "repetition_penalty",
                                           "presence_penalty",
                                           "frequency_penalty",
                                           "seed",
                                           "n",
                                           "logprobs",
                                           "priority",
                                           "penalty_window",
                                           "max_tokens",
                                           "min_tokens",
                                           "timeout_ms",
                                           "stop",
                                           "stop_token_ids",
                                           "logit_bias",
                                           "dynatemp_range",
                                           "dynatemp_exponent",
                                           "typical_p",
                                           "typ_p",
                                           "top_n_sigma",
                                           "xtc_probability",
                                           "xtc_threshold",
                                           "dry_multiplier",
                                           "dry_base",
                                           "dry_allowed_length",
                                           "dry_penalty_last_n",
                                           "dry_sequence_breakers",
                                           "mirostat",
                                           "mirostat_tau",
                                           "mirostat_eta",
                                           "repeat_penalty",
                                           "repeat_last_n",
                                           "penalty_last_n",
                                           "allowed_token_ids",
                                           "banned_token_ids",
                                           "bad_words",
                                           "n_probs",
                                           "prompt_logprobs",
                                           "n_predict",
                                           "best_of",
                                           "echo",
                                           "include_stop_str_in_output",
                                           "tools",
                                           "chat_template_kwargs"};
  const std::vector<std::string> values = {"-9223372036854775808",
                                           "-1",
                                           "0",
                                           "1",
                                           "2147483647",
                                           "2147483648",
                                           "9007199254740993",
                                           "1e308",
                                           "1e-320",
                                           "0.5",
                                           "\"5\"",
                                           "\"x\"",
                                           "null",
                                           "true",
                                           "[]",
                                           "{}",
                                           "[1]",
                                           "[\"a\"]",
                                           "{\"1\":1}",
                                           "{\"-1\":1}",
                                           "{\"1\":null}",
                                           "18446744073709551616",
                                           "[-1]",
                                           "[2147483648]",
                                           "[1.5]"};
  int taken = 0, refused = 0;
  for (const auto& field : fields)
    for (const auto& value : values) {
      const auto request = parse(R"({"prompt":"x",")" + field + "\":" + value + "}");
      ++(request ? taken : refused);
      if (request) continue;
      EXPECT_EQ(request.error().code(), ErrorCode::invalid_argument);
      const auto& message = request.error().message();
      EXPECT_TRUE(message.find(field) != std::string::npos ||
                  message.find(first_name(field)) != std::string::npos)
          << field << " = " << value << ": " << request.error().message();
    }
  EXPECT_GT(taken, 80);
  EXPECT_GT(refused, 250);
}

}  // namespace
}  // namespace troupe
