#include "troupe/core/sampling_json.h"

#include "troupe/core/json.h"
#include "troupe/core/request_json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace troupe {
namespace {

/// The sampling parameters of a request with these fields.
SamplingParams sampling(const std::string& fields) {
  const auto request = parse_request(parse_json("{\"prompt\":\"x\"," + fields + "}").value(), {});
  EXPECT_TRUE(request) << request.error().message();
  return request ? request->sampling : SamplingParams();
}

StopParams stop(const std::string& fields) {
  const auto request = parse_request(parse_json("{\"prompt\":\"x\"," + fields + "}").value(), {});
  EXPECT_TRUE(request) << request.error().message();
  return request ? request->stop : StopParams();
}

std::string error_of(const std::string& fields) {
  const auto request = parse_request(parse_json("{\"prompt\":\"x\"," + fields + "}").value(), {});
  return request ? "" : request.error().message();
}

TEST(SamplingJson, ReadsWhatLlamaCppUsersPass) {
  const auto params = sampling(R"("n_probs":3,"repeat_penalty":1.1,"repeat_last_n":64,
    "dynatemp_range":0.5,"dynatemp_exponent":2,"typ_p":0.9,"top_n_sigma":1.5,"xtc_probability":0.25,
    "xtc_threshold":0.2,"mirostat":2,"mirostat_tau":4,"mirostat_eta":0.2,"dry_multiplier":0.8,
    "dry_base":1.5,"dry_allowed_length":3,"dry_penalty_last_n":100,
    "dry_sequence_breakers":["\n","."])");
  EXPECT_EQ(params.logprobs, 3);
  EXPECT_EQ(params.repetition_penalty, 1.1f);
  EXPECT_EQ(params.penalty_window, 64);
  EXPECT_EQ(params.dynatemp_range, 0.5f);
  EXPECT_EQ(params.dynatemp_exponent, 2);
  EXPECT_EQ(params.typical_p, 0.9f);
  EXPECT_EQ(params.top_n_sigma, 1.5f);
  EXPECT_EQ(params.xtc_probability, 0.25f);
  EXPECT_EQ(params.xtc_threshold, 0.2f);
  EXPECT_EQ(params.mirostat, 2);
  EXPECT_EQ(params.mirostat_tau, 4);
  EXPECT_EQ(params.mirostat_eta, 0.2f);
  EXPECT_EQ(params.dry_multiplier, 0.8f);
  EXPECT_EQ(params.dry_base, 1.5f);
  EXPECT_EQ(params.dry_allowed_length, 3);
  EXPECT_EQ(params.dry_penalty_last_n, 100);
  EXPECT_EQ(params.dry_sequence_breakers, (std::vector<std::string>{"\n", "."}));
  EXPECT_EQ(stop(R"("n_predict":7)").max_tokens, 7);
}

TEST(SamplingJson, ReadsWhatVllmUsersPass) {
  const auto params = sampling(R"("repetition_penalty":1.2,"min_p":0.1,"allowed_token_ids":[3,5],
    "bad_words":["no","never ever"],"prompt_logprobs":2,"seed":9)");
  EXPECT_EQ(params.repetition_penalty, 1.2f);
  EXPECT_EQ(params.allowed_token_ids, (std::vector<TokenId>{3, 5}));
  EXPECT_EQ(params.bad_words, (std::vector<std::string>{"no", "never ever"}));
  EXPECT_EQ(params.prompt_logprobs, 2);
  EXPECT_EQ(params.seed, 9u);
  const auto ends = stop(R"("include_stop_str_in_output":true,"stop":"X","min_tokens":2)");
  EXPECT_TRUE(ends.include_stop_str_in_output);
  EXPECT_EQ(ends.min_tokens, 2);
}

TEST(SamplingJson, OffIsWrittenInEveryWayThatClientsUse) {
  const auto params = sampling(R"("top_n_sigma":-1,"top_k":-1,"seed":-1,"xtc_probability":0,
    "typical_p":1,"mirostat":0,"dry_multiplier":0)");
  EXPECT_EQ(params, [] {
    SamplingParams off;
    off.top_k = -1;
    return off;
  }());
  EXPECT_EQ(sampling(R"("dry_sequence_breakers":[])").dry_sequence_breakers.size(), 0u);
}

TEST(SamplingJson, ASeedThatIsAbsentIsNotZero) {
  EXPECT_FALSE(sampling(R"("top_k":3)").seed);
  EXPECT_EQ(sampling(R"("seed":0)").seed, 0u);
}

TEST(SamplingJson, TwoNamesOfOneFieldAreRefused) {
  EXPECT_EQ(error_of(R"("max_tokens":4,"n_predict":5)"),
            "found both 'max_tokens' and 'n_predict', two names for one field; expected one of "
            "them");
  for (const std::string fields :
       {R"("repetition_penalty":1,"repeat_penalty":1)", R"("typical_p":1,"typ_p":1)",
        R"("repeat_last_n":1,"penalty_last_n":1)", R"("penalty_window":1,"penalty_last_n":1)",
        R"("logprobs":1,"n_probs":1)", R"("max_completion_tokens":1,"n_predict":1)"})
    EXPECT_NE(error_of(fields).find("two names for one field"), std::string::npos) << fields;
}

TEST(SamplingJson, ReadsLogitBiasAsAnObjectOrAsPairs) {
  using Bias = std::vector<std::pair<TokenId, float>>;
  EXPECT_EQ(sampling(R"("logit_bias":{"12":-1.5})").logit_bias, (Bias{{12, -1.5f}}));
  const auto pairs = sampling(R"("logit_bias":[[12,-1.5],[3,false]])");
  EXPECT_EQ(pairs.logit_bias, (Bias{{12, -1.5f}}));
  EXPECT_EQ(pairs.banned_token_ids, (std::vector<TokenId>{3}));
  EXPECT_EQ(sampling(R"("logit_bias":{"3":false})").banned_token_ids, (std::vector<TokenId>{3}));
  for (const std::string bad : {R"([[1]])", R"([[-1,2]])", R"([["a",2]])", R"([[1,true]])",
                                R"([1,2])", R"({"1":true})", R"([[2147483648,1]])", R"([[1.5,1]])"})
    EXPECT_NE(error_of("\"logit_bias\":" + bad).find("logit_bias"), std::string::npos) << bad;
}

TEST(SamplingJson, AnEmptyListOfAllowedTokensIsRefused) {
  EXPECT_EQ(error_of(R"("allowed_token_ids":[])"),
            "allowed_token_ids: found an array; expected one id or more");
}

TEST(SamplingJson, ReadsLogprobsInBothSpellings) {
  EXPECT_EQ(sampling(R"("logprobs":3)").logprobs, 3);
  EXPECT_EQ(sampling(R"("logprobs":0)").logprobs, 0);
  EXPECT_EQ(sampling(R"("logprobs":true)").logprobs, 0);
  EXPECT_EQ(sampling(R"("logprobs":true,"top_logprobs":4)").logprobs, 4);
  EXPECT_EQ(sampling(R"("logprobs":false)").logprobs, -1);
  EXPECT_NE(error_of(R"("logprobs":false,"top_logprobs":4)"), "");
}

}  // namespace
}  // namespace troupe
