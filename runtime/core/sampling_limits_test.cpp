#include "troupe/core/sampling_limits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace troupe {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Result<void> with(const std::function<void(SamplingParams&)>& change) {
  SamplingParams params;
  change(params);
  return validate(params, {}, 100);
}

Result<void> with_stop(const std::function<void(StopParams&)>& change) {
  StopParams params;
  change(params);
  return validate({}, params, 100);
}

TEST(SamplingLimits, AcceptsTheDefaults) {
  EXPECT_TRUE(validate({}, {}, 100));
}

// D20: edge values have one meaning.
TEST(SamplingLimits, EdgeValuesOfFiltersHaveOneMeaning) {
  for (const std::int32_t k : {-1, 0, 1, 100, 1'000'000'000})
    EXPECT_TRUE(with([&](auto& p) { p.top_k = k; })) << k;
  EXPECT_FALSE(with([](auto& p) { p.top_k = -2; }));
  EXPECT_TRUE(with([](auto& p) { p.top_p = 1e-9f; }));
  EXPECT_TRUE(with([](auto& p) { p.top_p = 1.0f; }));
  EXPECT_TRUE(with([](auto& p) { p.top_p = 0.0f; }));  // the best token alone, as in OpenAI's API
  for (const float p : {1.0000001f, -0.5f, kNan, kInfinity}) {
    EXPECT_FALSE(with([&](auto& q) { q.top_p = p; })) << p;
    EXPECT_FALSE(with([&](auto& q) { q.typical_p = p; })) << p;
    EXPECT_FALSE(with([&](auto& q) { q.xtc_probability = p; })) << p;
    EXPECT_FALSE(with([&](auto& q) { q.xtc_threshold = p; })) << p;
  }
  for (const float n : {-1.0f, kNan, kInfinity})
    EXPECT_FALSE(with([&](auto& q) { q.top_n_sigma = n; })) << n;
  EXPECT_TRUE(with([](auto& p) { p.min_p = 0; }));
  EXPECT_TRUE(with([](auto& p) { p.min_p = 1; }));
  for (const float p : {-0.1f, 1.1f, kNan})
    EXPECT_FALSE(with([&](auto& q) { q.min_p = p; })) << p;
}

// D21: tiny temperatures are good values, infinities are none.
TEST(SamplingLimits, TemperaturesAreFiniteAndNotNegative) {
  for (const float t : {0.0f, 1e-30f, 1e-45f, 2.0f, 1e30f})
    EXPECT_TRUE(with([&](auto& p) { p.temperature = t; })) << t;
  for (const float t : {-1.0f, kNan, kInfinity, -kInfinity})
    EXPECT_FALSE(with([&](auto& p) { p.temperature = t; })) << t;
}

TEST(SamplingLimits, DynamicTemperatureIsFinite) {
  EXPECT_TRUE(with([](auto& p) { p.dynatemp_range = 0.5f, p.dynatemp_exponent = 2; }));
  for (const float x : {-0.1f, kNan, kInfinity})
    EXPECT_FALSE(with([&](auto& p) { p.dynatemp_range = x; })) << x;
  for (const float x : {0.0f, -1.0f, kNan, kInfinity})
    EXPECT_FALSE(with([&](auto& p) { p.dynatemp_exponent = x; })) << x;
}

TEST(SamplingLimits, DryHasABaseOfOneOrMoreAndBreakersThatAreTexts) {
  EXPECT_TRUE(with([](auto& p) { p.dry_multiplier = 0.8f, p.dry_base = 1; }));
  for (const float x : {-0.1f, kNan, kInfinity})
    EXPECT_FALSE(with([&](auto& p) { p.dry_multiplier = x; })) << x;
  for (const float x : {0.99f, kNan, kInfinity})
    EXPECT_FALSE(with([&](auto& p) { p.dry_base = x; })) << x;
  EXPECT_FALSE(with([](auto& p) { p.dry_allowed_length = 0; }));
  EXPECT_FALSE(with([](auto& p) { p.dry_penalty_last_n = -2; }));
  EXPECT_TRUE(with([](auto& p) { p.dry_sequence_breakers = {}; }));
  EXPECT_EQ(with([](auto& p) {
              p.dry_sequence_breakers = {"a", ""};
            })
                .error()
                .message(),
            "dry_sequence_breakers: found an empty text; expected one byte or more");
  EXPECT_FALSE(with([](auto& p) { p.dry_sequence_breakers.assign(257, "x"); }));
  EXPECT_FALSE(with([](auto& p) { p.dry_sequence_breakers = {std::string(16385, 'x')}; }));
}

TEST(SamplingLimits, BadWordsAreNotEmptyAndBounded) {
  EXPECT_TRUE(with([](auto& p) { p.bad_words = {"a", "two words"}; }));
  EXPECT_FALSE(with([](auto& p) { p.bad_words = {""}; }));
  EXPECT_FALSE(with([](auto& p) { p.bad_words.assign(257, "x"); }));
}

TEST(SamplingLimits, MirostatIsOffOrVersionTwo) {
  EXPECT_TRUE(with([](auto& p) { p.mirostat = 2; }));
  EXPECT_EQ(with([](auto& p) { p.mirostat = 1; }).error().message(),
            "mirostat = 1: expected 0 (off) or 2; version 1 needs an estimate that version 2 does "
            "without");
  for (const float x : {0.0f, -1.0f, kNan, kInfinity})
    EXPECT_FALSE(with([&](auto& p) { p.mirostat_tau = x; })) << x;
  for (const float x : {-0.1f, 1.1f, kNan})
    EXPECT_FALSE(with([&](auto& p) { p.mirostat_eta = x; })) << x;
}

TEST(SamplingLimits, PenaltiesStayInTheirRanges) {
  for (const float r : {0.0f, -1.0f, kNan, kInfinity})
    EXPECT_FALSE(with([&](auto& p) { p.repetition_penalty = r; })) << r;
  EXPECT_TRUE(with([](auto& p) { p.repetition_penalty = 0.5f; }));
  for (const float x : {-2.1f, 2.1f, kNan}) {
    EXPECT_FALSE(with([&](auto& p) { p.presence_penalty = x; })) << x;
    EXPECT_FALSE(with([&](auto& p) { p.frequency_penalty = x; })) << x;
  }
  EXPECT_TRUE(with([](auto& p) { p.penalty_window = 0; }));
  EXPECT_FALSE(with([](auto& p) { p.penalty_window = -2; }));
}

// D22: token ids are range-checked.
TEST(SamplingLimits, TokenIdsLieInTheVocabulary) {
  for (const TokenId id : {-1, 100, INT32_MAX, INT32_MIN}) {
    EXPECT_FALSE(with([&](auto& p) { p.logit_bias = {{id, 1.0f}}; })) << id;
    EXPECT_FALSE(with_stop([&](auto& p) { p.stop_token_ids = {id}; })) << id;
    EXPECT_FALSE(with([&](auto& p) { p.allowed_token_ids = {3, id}; })) << id;
    EXPECT_FALSE(with([&](auto& p) { p.banned_token_ids = {id}; })) << id;
  }
  EXPECT_TRUE(with([](auto& p) { p.logit_bias = {{0, 1.0f}, {99, -100.0f}}; }));
  EXPECT_TRUE(with_stop([](auto& p) { p.stop_token_ids = {0, 99}; }));
  SamplingParams unknown_vocabulary;
  unknown_vocabulary.logit_bias = {{5000, 1.0f}};
  EXPECT_TRUE(validate(unknown_vocabulary, {}, 0));
  unknown_vocabulary.logit_bias = {{-1, 1.0f}};
  EXPECT_FALSE(validate(unknown_vocabulary, {}, 0));
}

TEST(SamplingLimits, BiasIsFiniteAndEachTokenHasOne) {
  for (const float bias : {kNan, kInfinity, 100.5f, -101.0f})
    EXPECT_FALSE(with([&](auto& p) { p.logit_bias = {{3, bias}}; })) << bias;
  const auto twice = with([](auto& p) { p.logit_bias = {{3, 1.0f}, {4, 1.0f}, {3, 2.0f}}; });
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message(), "logit_bias = 3: expected each token id at most once");
}

TEST(SamplingLimits, MessagesNameTheFieldAndBothNumbers) {
  EXPECT_EQ(with([](auto& p) { p.top_p = 1.5f; }).error().message(),
            "top_p = 1.5: expected 0 <= top_p <= 1 (1 = off, 0 = the best token alone)");
  EXPECT_EQ(with_stop([](auto& p) { p.stop_token_ids = {100}; }).error().message(),
            "stop_token_ids = 100: expected a token id of the model, 0 to 99");
  EXPECT_EQ(with([](auto& p) { p.logprobs = 21; }).error().message(),
            "logprobs = 21: expected -1 to 20 (-1 = off)");
}

TEST(SamplingLimits, LengthsAreConsistent) {
  EXPECT_TRUE(with_stop([](auto& p) { p.max_tokens = 0; }));
  EXPECT_FALSE(with_stop([](auto& p) { p.max_tokens = -2; }));
  EXPECT_FALSE(with_stop([](auto& p) { p.min_tokens = -1; }));
  EXPECT_FALSE(with_stop([](auto& p) { p.max_tokens = 3, p.min_tokens = 4; }));
  EXPECT_TRUE(with_stop([](auto& p) { p.max_tokens = 4, p.min_tokens = 4; }));
}

TEST(SamplingLimits, StopStringsAreNotEmptyAndBounded) {
  EXPECT_FALSE(with_stop([](auto& p) { p.stop = {"a", ""}; }));
  EXPECT_FALSE(with_stop([](auto& p) { p.stop.assign(257, "x"); }));
  EXPECT_FALSE(with_stop([](auto& p) { p.stop_token_ids.assign(257, 1); }));
  EXPECT_TRUE(with_stop([](auto& p) { p.stop = {"\n\n", "END"}; }));
}

// D25: n above the cap is refused at once.
TEST(SamplingLimits, ChoicesHaveACap) {
  EXPECT_TRUE(validate_choices(1, 8));
  EXPECT_TRUE(validate_choices(8, 8));
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{9}, INT64_MAX})
    EXPECT_FALSE(validate_choices(n, 8)) << n;
  EXPECT_EQ(validate_choices(9, 8).error().message(), "n = 9: expected 1 to 8 choices");
  EXPECT_EQ(validate_choices(9, 8, "best_of").error().message(),
            "best_of = 9: expected 1 to 8 choices");
}

Result<void> of_request(const std::function<void(Request&)>& change) {
  Request request;
  change(request);
  return validate_request(request);
}

// D25, and best_of as OpenAI's API has it.
TEST(SamplingLimits, BestOfIsNoLessThanNAndDoesNotStream) {
  EXPECT_TRUE(of_request([](auto& r) { r.n = 2, r.best_of = 2, r.stream = true; }));
  EXPECT_TRUE(of_request([](auto& r) { r.n = 2, r.best_of = 5; }));
  EXPECT_FALSE(of_request([](auto& r) { r.n = 0; }));
  EXPECT_EQ(of_request([](auto& r) { r.n = 3, r.best_of = 2; }).error().message(),
            "best_of = 2: expected at least n, which is 3 (0 = n)");
  EXPECT_EQ(of_request([](auto& r) { r.best_of = 2, r.stream = true; }).error().message(),
            "stream: found true; expected false while best_of = 2 is more than n = 1, as the best "
            "are known at the end only");
}

TEST(SamplingLimits, EchoIsOfPrompts) {
  EXPECT_TRUE(of_request([](auto& r) { r.echo = true; }));
  EXPECT_FALSE(of_request([](auto& r) { r.echo = true, r.kind = RequestKind::chat; }));
}

TEST(SamplingLimits, NoMoreTokensAreListedThanThereAre) {
  EXPECT_TRUE(with([](auto& p) { p.allowed_token_ids.assign(100, 3); }));
  EXPECT_EQ(with([](auto& p) { p.allowed_token_ids.assign(101, 3); }).error().message(),
            "allowed_token_ids has a size = 101: expected at most the 100 tokens of the model");
  EXPECT_FALSE(with([](auto& p) { p.banned_token_ids.assign(101, 3); }));
}

TEST(SamplingLimits, NamesThatOutliveARequestAreShort) {
  const std::string longest(kMaxNameBytes, 'x'), longer = longest + 'x';
  EXPECT_TRUE(of_request([&](auto& r) { r.tenant = r.cache_salt = longest; }));
  EXPECT_FALSE(of_request([&](auto& r) { r.tenant = longer; }));
  EXPECT_EQ(of_request([&](auto& r) { r.cache_salt = longer; }).error().message(),
            "cache_salt has bytes = 1025: expected at most 1024");
}

}  // namespace
}  // namespace troupe
