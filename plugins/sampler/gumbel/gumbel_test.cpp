#include "test_case.h"
#include "troupe/testing/conformance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <vector>

TROUPE_CONFORMANCE()

namespace troupe::gumbel {
namespace {

TEST(GumbelSampler, GreedyTakesTheLargestLogitAndTheSmallerIdOnATie) {
  EXPECT_EQ(greedy({1, 3, 2}).token(), 1);
  EXPECT_EQ(greedy({1, 3, 3, 3}).token(), 1);
  EXPECT_EQ(greedy({-5}).token(), 0);
  EXPECT_EQ(greedy({-0.0f, 0.0f}).token(), 0);
  EXPECT_EQ(greedy(std::vector<float>(5000, 7.0f)).token(), 0);
}

// D20: edge values have one meaning, and the best token always survives.
TEST(GumbelSampler, EdgeValuesOfFiltersAreOffOrKeepTheBest) {
  Case one(logs({0.25, 0.25, 0.25, 0.25}));
  const Tokens all{0, 1, 2, 3};
  for (const std::int32_t k : {0, -1, 4, 1'000'000'000}) {
    one.params.top_k = k;
    EXPECT_EQ(one.drawn(), all) << k;
  }
  one.params.top_k = 1;
  EXPECT_EQ(one.drawn(), Tokens{0});  // the smaller id of equal ones
  one.params.top_k = 3;
  EXPECT_EQ(one.drawn(), (Tokens{0, 1, 2}));
  one.params.top_k = 0;
  one.params.top_p = 1e-9f;
  EXPECT_EQ(one.drawn(), Tokens{0});
  one.params.top_p = 1;
  one.params.min_p = 1;  // as probable as the best: all of them are
  EXPECT_EQ(one.drawn(), all);
  one.logits[2] += 0.001f;
  EXPECT_EQ(one.drawn(), Tokens{2});
}

TEST(GumbelSampler, TopPKeepsTheSmallestSetReachingP) {
  Case one(logs({0.1, 0.5, 0.15, 0.25}));
  const auto kept = [&](float p) {
    one.params.top_p = p;
    return one.drawn();
  };
  EXPECT_EQ(kept(0.49f), Tokens{1});
  EXPECT_EQ(kept(0.51f), (Tokens{1, 3}));
  EXPECT_EQ(kept(0.76f), (Tokens{1, 2, 3}));
  EXPECT_EQ(kept(0.91f), (Tokens{0, 1, 2, 3}));
}

TEST(GumbelSampler, MinPKeepsASharedOfTheBestProbability) {
  Case one(logs({0.1, 0.5, 0.15, 0.25}));
  one.params.min_p = 0.4f;
  EXPECT_EQ(one.drawn(), (Tokens{1, 3}));
  one.params.min_p = 0.25f;
  EXPECT_EQ(one.drawn(), (Tokens{1, 2, 3}));
}

// After top_k the rest is a distribution of its own: 0.5 / 0.75 = 0.67 reaches 0.6 alone, while
// of the whole 0.5 would not.
TEST(GumbelSampler, TopPLooksAtWhatTopKLeft) {
  Case one(logs({0.1, 0.5, 0.15, 0.25}));
  one.params.top_p = 0.6f;
  EXPECT_EQ(one.drawn(), (Tokens{1, 3}));
  one.params.top_k = 2;
  EXPECT_EQ(one.drawn(), Tokens{1});
}

// D27: temperature goes first. At temperature 2 the shares 0.8, 0.1, 0.1 become 0.586, 0.207,
// 0.207.
TEST(GumbelSampler, TemperatureGoesBeforeTopPAndMinP) {
  Case one(logs({0.8, 0.1, 0.1}));
  one.params.top_p = 0.75f;
  EXPECT_EQ(one.drawn(), Tokens{0});
  one.params.temperature = 2;
  EXPECT_EQ(one.drawn(), (Tokens{0, 1}));
  one.params.top_p = 1;
  one.params.min_p = 0.3f;  // 0.1 / 0.8 is below it, the root of that is not
  EXPECT_EQ(one.drawn(), (Tokens{0, 1, 2}));
  one.params.temperature = 1;
  EXPECT_EQ(one.drawn(), Tokens{0});
}

// D27: bias goes before penalties, penalties before temperature and the filters.
TEST(GumbelSampler, BiasGoesBeforePenaltiesAndPenaltiesBeforeFilters) {
  Case one = greedy({-1, 1.5f});
  one.params.logit_bias = {{0, 4.0f}};   // -1 + 4 = 3, which is positive:
  one.params.repetition_penalty = 2.5f;  // 3 / 2.5 = 1.2 < 1.5; not -1 * 2.5 + 4 = 1.5
  one.history = {0};
  EXPECT_EQ(one.token(), 1);
  Case two({2, 1, 0});
  two.params.top_k = 1;
  two.params.presence_penalty = 1.5f;
  two.history = {0};
  EXPECT_EQ(two.drawn(), Tokens{1});
}

// D21: tiny temperatures give the best token, and nothing overflows.
TEST(GumbelSampler, TinyTemperaturesGiveTheBestToken) {
  for (const float temperature : {1e-4f, 1e-30f, 1e-45f}) {
    Case one({59999, 60000, -60000, -kInfinity});
    one.params.temperature = temperature;
    EXPECT_EQ(one.drawn(50), Tokens{1}) << temperature;
    one.params.top_k = 2;
    EXPECT_EQ(one.drawn(50), Tokens{1}) << temperature;
    one.params.top_k = 0;
    one.params.top_p = 0.9f;
    EXPECT_EQ(one.drawn(50), Tokens{1}) << temperature;
  }
  Case largest({3e38f, -3e38f, 3.3e38f});
  largest.params.temperature = 1e-45f;
  EXPECT_EQ(largest.drawn(20), Tokens{2});
}

TEST(GumbelSampler, AHugeTemperatureMakesAllTokensEqual) {
  Case one({5, -5, 0});
  one.params.temperature = 1e30f;
  EXPECT_EQ(one.drawn(), (Tokens{0, 1, 2}));
}

// D21: rows that cannot be sampled are errors that say why.
TEST(GumbelSampler, RowsThatAreNotFiniteAreErrors) {
  EXPECT_NE(greedy({1, kNan}).sample().error->message().find("the logit of token 1 is nan"),
            std::string::npos);
  EXPECT_NE(greedy({kInfinity, 0}).sample().error->message().find("token 0 is inf"),
            std::string::npos);
  Case dead(std::vector<float>(100, -kInfinity));
  EXPECT_NE(dead.sample().error->message().find("every logit is -inf or banned"),
            std::string::npos);
  EXPECT_EQ(dead.sample().error->code(), ErrorCode::internal);
  Case one({1, -kInfinity, 2});
  EXPECT_EQ(one.drawn(), (Tokens{0, 2}));
}

TEST(GumbelSampler, ErrorsNameTheSequenceAndThePosition) {
  Case one = greedy({kNan});
  one.position = 17;
  EXPECT_EQ(one.sample().error->message(),
            "sampler: sequence 0, position 17: the logit of token 0 is nan");
}

// D24: rows of the head beyond the tokenizer's vocabulary are dead.
TEST(GumbelSampler, PaddedRowsAreNeverDrawnRankedOrCounted) {
  Case one(logs({0.5, 0.25, 0.25, 1e6, 1e6}));
  one.vocab_size = 3;
  EXPECT_EQ(one.drawn(), (Tokens{0, 1, 2}));
  one.params.top_k = 2;
  EXPECT_EQ(one.drawn(), (Tokens{0, 1}));
  one.params.temperature = 0;
  one.params.logprobs = 5;
  const auto sampled = one.sample();
  EXPECT_EQ(sampled.token, 0);
  EXPECT_NEAR(sampled.chosen->logprob, std::log(0.5), 1e-6);
  EXPECT_EQ(sampled.top.size(), 3u);
  one.logits[4] = kNan;
  EXPECT_FALSE(one.sample().error);
}

TEST(GumbelSampler, BannedTokensAreNeverDrawn) {
  Case one = greedy({1, 9, 5});
  one.banned = {1};
  EXPECT_EQ(one.token(), 2);
  one.banned = {0, 1, 2};
  EXPECT_TRUE(one.sample().error);
  one.banned = {3};
  EXPECT_NE(one.sample().error->message().find("outside the vocabulary of 3"), std::string::npos);
}

TEST(GumbelSampler, RepetitionPenaltyLooksAtPromptAndOutputOnce) {
  Case one = greedy({4, 3, -1});
  one.params.repetition_penalty = 2;
  one.history = {0, 0, 0};  // once, however often it stands there: 4 / 2 = 2
  one.prompt_tokens = 3;
  EXPECT_EQ(one.token(), 1);
  one.history = {0, 1};  // 4 / 2 = 2, 3 / 2 = 1.5
  EXPECT_EQ(one.token(), 0);
  Case negative = greedy({-1, -1.5f});
  negative.params.repetition_penalty = 2;
  negative.history = {0};  // -1 * 2 = -2
  EXPECT_EQ(negative.token(), 1);
}

TEST(GumbelSampler, PresenceAndFrequencyLookAtTheOutputAlone) {
  Case one = greedy({3, 2.5f, 2.2f});
  one.params.presence_penalty = 1;
  one.history = {0, 1};
  one.prompt_tokens = 2;
  EXPECT_EQ(one.token(), 0);
  one.prompt_tokens = 1;  // 1 was drawn: 2.5 - 1
  EXPECT_EQ(one.token(), 0);
  one.prompt_tokens = 0;  // both: 3 - 1 = 2, 2.5 - 1 = 1.5
  EXPECT_EQ(one.token(), 2);
  one.params.presence_penalty = 0;
  one.params.frequency_penalty = 0.3f;
  one.history = {0, 0, 1};  // 3 - 0.6 = 2.4, 2.5 - 0.3 = 2.2
  EXPECT_EQ(one.token(), 0);
  one.history = {0, 0, 0};  // 3 - 0.9 = 2.1
  EXPECT_EQ(one.token(), 1);
}

TEST(GumbelSampler, ThePenaltyWindowLimitsHowFarPenaltiesLook) {
  Case one = greedy({3, 2});
  one.params.presence_penalty = 2;
  one.history = {0, 1, 1};
  one.params.penalty_window = 2;  // does not see the 0
  EXPECT_EQ(one.token(), 0);
  one.params.penalty_window = 3;
  one.params.presence_penalty = 0;
  one.params.frequency_penalty = 2;  // 3 - 2 = 1, 2 - 4 = -2
  EXPECT_EQ(one.token(), 0);
  one.params.penalty_window = 0;
  one.history = {0, 0, 0};
  EXPECT_EQ(one.token(), 0);
  one.params.penalty_window = -1;
  EXPECT_EQ(one.token(), 1);
}

// D28: long histories cost no memory per row, and a past token outside the vocabulary writes
// nowhere.
TEST(GumbelSampler, PenaltiesOfLongHistoriesLeaveNoTraceInLaterRows) {
  const std::unique_ptr<Operator> op(troupe_plugin.spec->create());
  const auto& sampler = dynamic_cast<const Sampler&>(*op);
  Case penalised = greedy({3, 2});
  penalised.params.presence_penalty = 2;
  penalised.params.repetition_penalty = 1.5f;
  penalised.history.assign(100000, 0);
  EXPECT_EQ(penalised.sample_with(sampler).token, 1);
  EXPECT_EQ(greedy({3, 2}).sample_with(sampler).token, 0);
  penalised.history = {1};  // 3 against (2 / 1.5) - 2
  EXPECT_EQ(penalised.sample_with(sampler).token, 0);
  for (const TokenId outside : {-1, 2, INT32_MAX}) {
    penalised.history = {outside};
    EXPECT_TRUE(penalised.sample_with(sampler).error) << outside;
  }
}

TEST(GumbelSampler, LogprobsAreOfTheModelsOwnDistribution) {
  Case one(logs({0.5, 0.125, 0.25, 0.125}));
  one.params.temperature = 0;
  one.params.logprobs = 2;
  one.params.logit_bias = {{1, 50.0f}};
  const auto sampled = one.sample();
  EXPECT_EQ(sampled.token, 1);
  ASSERT_TRUE(sampled.chosen);
  EXPECT_EQ(sampled.chosen->token, 1);
  EXPECT_NEAR(sampled.chosen->logprob, std::log(0.125), 1e-6);
  ASSERT_EQ(sampled.top.size(), 2u);  // the chosen one is not among them
  EXPECT_EQ(sampled.top[0].token, 0);
  EXPECT_NEAR(sampled.top[0].logprob, std::log(0.5), 1e-6);
  EXPECT_EQ(sampled.top[1].token, 2);
  one.params.logprobs = 0;
  EXPECT_TRUE(one.sample().chosen);
  EXPECT_TRUE(one.sample().top.empty());
  one.params.logprobs = -1;
  EXPECT_FALSE(one.sample().chosen);
}

// 20,000 draws of 8 tokens: chi-square with 7 degrees of freedom is above 29.9 in 1 of 10,000.
TEST(GumbelSampler, DrawsFollowTheDistribution) {
  const std::vector<double> p{0.3, 0.2, 0.15, 0.1, 0.1, 0.08, 0.05, 0.02};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Case one(logs(p));
    one.params.seed = seed;
    const auto counts = one.draws(20000);
    double chi_square = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double expected = 20000 * p[i];
      const double found =
          counts.count(static_cast<TokenId>(i)) != 0 ? counts.at(static_cast<TokenId>(i)) : 0;
      chi_square += (found - expected) * (found - expected) / expected;
    }
    EXPECT_LT(chi_square, 29.9) << "seed " << seed;
  }
}

TEST(GumbelSampler, FilteredDrawsFollowTheRestOfTheDistribution) {
  Case one(logs({0.5, 0.3, 0.1, 0.1}));
  one.params.top_k = 2;  // 0.625, 0.375; 29.9 is far above the limit for one degree of freedom
  const auto counts = one.draws(20000);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_NEAR(counts.at(0), 12500, 4 * std::sqrt(20000 * 0.625 * 0.375));
}

TEST(GumbelSampler, SeedPositionAndTokenKeyTheNoise) {
  Case one(std::vector<float>(1000, 0.0f));
  std::set<TokenId> tokens;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    one.params.seed = seed;
    tokens.insert(one.token());
    EXPECT_EQ(one.token(), one.token());
  }
  EXPECT_GT(tokens.size(), 30u);
  EXPECT_GT(one.drawn(40).size(), 30u);
}

}  // namespace
}  // namespace troupe::gumbel
