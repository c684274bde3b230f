// Each filter against numbers worked out by hand, and the stochastic ones against their
// distribution.
#include "filters.h"

#include "test_case.h"
#include "troupe/core/philox.h"

#include <random>

namespace troupe::gumbel {
namespace {

using Tokens = std::set<TokenId>;

Pool pool_of(const std::vector<float>& logits) {
  Pool pool;
  pool.open(logits);
  return pool;
}

Tokens left(const Pool& pool) {
  return {pool.ids().begin(), pool.ids().end()};
}

// Entropy of 0.5, 0.3, 0.15, 0.05: 1.142. Their information: 0.693, 1.204, 1.897, 2.996; its
// distance from the entropy: 0.449, 0.062, 0.755, 1.854. So the order is 1, 0, 2, 3.
TEST(TypicalP, KeepsTheTokensWhoseInformationIsNearestToTheEntropy) {
  const auto kept = [](float p) {
    RankedRoom room;
    auto pool = pool_of(logs({0.5, 0.3, 0.15, 0.05}));
    keep_typical(pool, p, room);
    return left(pool);
  };
  EXPECT_EQ(kept(0.0f), Tokens{1});
  EXPECT_EQ(kept(0.29f), Tokens{1});
  EXPECT_EQ(kept(0.31f), (Tokens{0, 1}));
  EXPECT_EQ(kept(0.79f), (Tokens{0, 1}));
  EXPECT_EQ(kept(0.81f), (Tokens{0, 1, 2}));
  EXPECT_EQ(kept(0.96f), (Tokens{0, 1, 2, 3}));
}

// Mean 4, variance (9 + 4 + 1 + 0 + 36) / 5 = 10, so a deviation is 3.162.
TEST(TopNSigma, KeepsLogitsWithinSoManyDeviationsOfTheLargest) {
  const auto kept = [](float n) {
    auto pool = pool_of({1, 2, 3, 4, 10, -kInfinity});
    keep_top_n_sigma(pool, n);
    return left(pool);
  };
  EXPECT_EQ(kept(1), Tokens{4});                // from 6.84
  EXPECT_EQ(kept(1.9f), (Tokens{3, 4}));        // from 3.99
  EXPECT_EQ(kept(2.3f), (Tokens{2, 3, 4}));     // from 2.73
  EXPECT_EQ(kept(3), (Tokens{0, 1, 2, 3, 4}));  // from 0.51
  EXPECT_EQ(kept(1e-9f), Tokens{4});
}

TEST(TopNSigma, DoesNotDependOnTemperature) {
  Case one({1, 2, 3, 4, 10});
  one.params.top_n_sigma = 2.3f;
  one.params.temperature = 20;
  EXPECT_EQ(one.drawn(), (Tokens{2, 3, 4}));
  one.chain = {"temperature", "top_n_sigma"};
  EXPECT_EQ(one.drawn(), (Tokens{2, 3, 4}));
}

TEST(Xtc, TakesOutAllTopTokensButTheLeastProbable) {
  const auto kept = [](float threshold) {
    auto pool = pool_of(logs({0.1, 0.4, 0.2, 0.3}));
    exclude_top_choices(pool, 1, threshold, {7, 1});
    return left(pool);
  };
  EXPECT_EQ(kept(0.15f), (Tokens{0, 2}));     // 1, 3 and 2 are tops
  EXPECT_EQ(kept(0.25f), (Tokens{0, 2, 3}));  // 1 and 3
  EXPECT_EQ(kept(0.35f), (Tokens{0, 1, 2, 3}));
  EXPECT_EQ(kept(0.0f), Tokens{0});
  EXPECT_EQ(kept(1.0f), (Tokens{0, 1, 2, 3}));
}

TEST(Xtc, OfEqualTopTokensTheLastIdStays) {
  auto pool = pool_of({1, 1, 1, -9});
  exclude_top_choices(pool, 1, 0.2f, {7, 1});
  EXPECT_EQ(left(pool), (Tokens{2, 3}));
}

TEST(Xtc, OffMeansOffAndGreedyIsNotTouched) {
  Case one(logs({0.1, 0.4, 0.2, 0.3}));
  one.params.xtc_probability = 1;
  one.params.xtc_threshold = 0.15f;
  EXPECT_EQ(one.drawn(), (Tokens{0, 2}));
  one.params.xtc_probability = 0;
  EXPECT_EQ(one.drawn(), (Tokens{0, 1, 2, 3}));
  one.params.xtc_probability = 1;
  one.params.temperature = 0;
  EXPECT_EQ(one.token(), 1);
}

// With probability 0.3 the shares are those of 0.1 and 0.2 alone, else the model's.
// 3 degrees of freedom: chi-square is above 21.1 in 1 of 10,000.
TEST(Xtc, ActsWithItsProbability) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Case one(logs({0.1, 0.4, 0.2, 0.3}));
    one.params.seed = seed;
    one.params.xtc_probability = 0.3f;
    one.params.xtc_threshold = 0.15f;
    EXPECT_LT(chi_square(one.draws(20000),
                         {0.7 * 0.1 + 0.3 / 3, 0.7 * 0.4, 0.7 * 0.2 + 0.3 * 2 / 3, 0.7 * 0.3}),
              21.1)
        << "seed " << seed;
  }
}

// Whether it acts must not be the noise of a token again: then draws would be skewed.
TEST(Xtc, ItsChanceIsAWordOfItsOwn) {
  int equal = 0;
  for (std::int32_t position = 0; position < 100; ++position)
    for (TokenId token = 0; token < 8; ++token)
      equal += position_bits(3, position, RandomUse::xtc) == token_bits(3, position, token);
  EXPECT_EQ(equal, 0);
}

// Entropy of 0.9, 0.1: 0.3251 of at most log 2 = 0.6931: a share of 0.468996.
TEST(DynamicTemperature, FollowsTheEntropyBetweenItsBounds) {
  const auto temperature = [](std::vector<double> p, float range, float exponent, float t = 1) {
    SamplingParams params;
    params.temperature = t;
    params.dynatemp_range = range;
    params.dynatemp_exponent = exponent;
    auto pool = pool_of(logs(std::move(p)));
    return temperature_for(pool, params);
  };
  EXPECT_NEAR(temperature({0.9, 0.1}, 0.5f, 1), 0.5 + 0.468996, 1e-5);
  EXPECT_NEAR(temperature({0.9, 0.1}, 0.5f, 2), 0.5 + 0.468996 * 0.468996, 1e-5);
  EXPECT_NEAR(temperature({0.9, 0.1}, 3, 1), 4 * 0.468996, 1e-5);  // the lower bound is 0
  EXPECT_NEAR(temperature({0.25, 0.25, 0.25, 0.25}, 0.5f, 3), 1.5, 1e-5);
  EXPECT_NEAR(temperature({1, 1e-30}, 0.5f, 1), 0.5, 1e-5);
  EXPECT_EQ(temperature({1}, 0.5f, 1, 0.7f), 0.7f);
  EXPECT_EQ(temperature({0.9, 0.1}, 0, 5, 0.7f), 0.7f);
}

// Shares 0.9, 0.1 at temperature 0.968996: 9 to the power of 1 / 0.968996 against 1.
TEST(DynamicTemperature, DrawsAreThoseOfTheTemperature) {
  Case one(logs({0.9, 0.1}));
  one.params.dynatemp_range = 0.5f;
  const double ratio = std::pow(9.0, 1 / 0.968996);
  // 1 degree of freedom: above 15.1 in 1 of 10,000.
  EXPECT_LT(chi_square(one.draws(20000), {ratio / (ratio + 1), 1 / (ratio + 1)}), 15.1);
}

TEST(Mirostat, ItsBoundFollowsTheSurprisesOfTheTokensSoFar) {
  SamplingParams params;
  params.mirostat = 2;
  params.mirostat_tau = 3;
  params.mirostat_eta = 0.1f;
  EXPECT_NEAR(mirostat_bound(params, {}), 6, 1e-6);
  EXPECT_NEAR(mirostat_bound(params, std::vector<float>{5}), 5.8, 1e-6);
  EXPECT_NEAR(mirostat_bound(params, std::vector<float>{5, 1}), 6, 1e-6);
  EXPECT_NEAR(mirostat_bound(params, std::vector<float>{0, 0, 0}), 6.9, 1e-6);
}

TEST(Mirostat, LeavesTokensUpToTheBound) {
  const auto kept = [](double bound) {
    auto pool = pool_of(logs({0.125, 0.5, 0.25, 0.125}));  // 3, 1, 2 and 3 bits
    keep_unsurprising(pool, bound);
    return left(pool);
  };
  EXPECT_EQ(kept(3.01), (Tokens{0, 1, 2, 3}));
  EXPECT_EQ(kept(2.5), (Tokens{1, 2}));
  EXPECT_EQ(kept(1.5), Tokens{1});
  EXPECT_EQ(kept(0.5), Tokens{1});
  EXPECT_EQ(kept(-4), Tokens{1});
}

// Bound 2 * 1.25 = 2.5 bits leaves 0.5 and 0.25, which become 2/3 and 1/3.
TEST(Mirostat, ReportsTheSurpriseOfTheTokenAmongWhatWasLeft) {
  Case one(logs({0.125, 0.5, 0.25, 0.125}));
  one.params.mirostat = 2;
  one.params.mirostat_tau = 1.25f;
  EXPECT_LT(chi_square(one.draws(20000), {0, 2.0 / 3, 1.0 / 3, 0}), 15.1);
  bool first = false, second = false;
  for (one.position = 0; one.position < 50; ++one.position) {
    const auto sampled = one.sample();
    ASSERT_TRUE(sampled.surprise);
    EXPECT_NEAR(*sampled.surprise, sampled.token == 1 ? 0.58496 : 1.58496, 1e-4);
    (sampled.token == 1 ? first : second) = true;
  }
  EXPECT_TRUE(first && second);
  one.surprises = {1, 1, 1};    // each 0.25 bits below tau: the bound rises to 2.575
  one.params.mirostat_eta = 1;  // to 3.25: the tokens of 3 bits come in
  EXPECT_EQ(one.drawn(), (Tokens{0, 1, 2, 3}));
}

TEST(Mirostat, AGreedyTokenIsNoSurprise) {
  Case one = greedy(logs({0.2, 0.5, 0.3}));
  one.params.mirostat = 2;
  EXPECT_EQ(one.sample().token, 1);
  EXPECT_EQ(one.sample().surprise, 0.0f);
  one.chain = {"mirostat", "temperature"};
  EXPECT_EQ(one.sample().surprise, 0.0f);
}

TEST(Mirostat, WithoutItNoSurpriseIsReported) {
  EXPECT_FALSE(Case(logs({0.5, 0.5})).sample().surprise);
}

// 3 degrees of freedom.
TEST(Filters, WhatTheyLeaveIsDrawnByItsOwnShares) {
  Case one(logs({0.4, 0.3, 0.15, 0.1, 0.05}));
  one.params.typical_p = 0.94f;  // all but the last
  one.params.temperature = 0.5f;
  const double squares = 0.16 + 0.09 + 0.0225 + 0.01;
  const std::vector<double> expected{0.16 / squares, 0.09 / squares, 0.0225 / squares,
                                     0.01 / squares, 0};
  one.chain = {"typical_p", "temperature"};
  EXPECT_LT(chi_square(one.draws(20000), expected), 21.1);
}

// D20: the best token survives every filter but typical_p and xtc; each edge value has its meaning.
TEST(Filters, EdgeValuesKeepTheBestOrAll) {
  RankedRoom room;
  const auto row = logs({0.1, 0.6, 0.3});
  const auto after = [&](auto filter) {
    auto pool = pool_of(row);
    filter(pool);
    return left(pool);
  };
  EXPECT_EQ(after([&](Pool& p) { keep_top_p(p, 0, room); }), Tokens{1});
  EXPECT_EQ(after([&](Pool& p) { keep_top_p(p, 1e-9f, room); }), Tokens{1});
  EXPECT_EQ(after([&](Pool& p) { keep_top_p(p, 0.95f, room); }), (Tokens{0, 1, 2}));
  EXPECT_EQ(after([&](Pool& p) { keep_top_k(p, 1, room); }), Tokens{1});
  EXPECT_EQ(after([&](Pool& p) { keep_top_k(p, 2, room); }), (Tokens{1, 2}));
  EXPECT_EQ(after([&](Pool& p) { keep_top_k(p, 2'000'000'000, room); }), (Tokens{0, 1, 2}));
  EXPECT_EQ(after([&](Pool& p) { keep_min_p(p, 1); }), Tokens{1});
  EXPECT_EQ(after([&](Pool& p) { keep_min_p(p, 0.45f); }), (Tokens{1, 2}));
}

// D27: requests that only use temperature, top_k, top_p and min_p take a shorter way.
TEST(Filters, TheShortWayAndTheGeneralOneGiveTheSameTokens) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal(0, 3);
  RankedRoom room;
  for (int i = 0; i < 300; ++i) {
    Case one(std::vector<float>(100 + random() % 3000));
    for (auto& logit : one.logits)
      logit = normal(random);
    auto& params = one.params;
    params.seed = random();
    params.temperature = static_cast<float>(random() % 20 + 1) / 10;
    if (i % 2 == 0) params.top_k = static_cast<std::int32_t>(random() % 200 + 1);
    if (i % 3 != 0) params.top_p = static_cast<float>(random() % 98 + 1) / 100;
    if (i % 5 != 0) params.min_p = static_cast<float>(random() % 30 + 1) / 100;
    const TokenId token = one.token();
    // A threshold that no two tokens reach changes nothing, and is no part of the short way.
    params.xtc_probability = 1;
    params.xtc_threshold = 1;
    ASSERT_EQ(one.token(), token) << "row " << i;
  }
}

// D21: rows with tiny temperatures and infinities stay finite in the general way as well.
TEST(Filters, TinyTemperaturesGiveTheBestTokenInTheGeneralWay) {
  for (const float temperature : {1e-4f, 1e-30f, 1e-45f}) {
    Case one({59999, 60000, -60000, -kInfinity});
    one.params.temperature = temperature;
    one.params.typical_p = 0.5f;
    EXPECT_EQ(one.drawn(20), Tokens{1}) << temperature;
    one.params.typical_p = 1;
    one.params.mirostat = 2;
    EXPECT_EQ(one.drawn(20), Tokens{1}) << temperature;
    EXPECT_EQ(one.sample().surprise, 0.0f);
  }
}

}  // namespace
}  // namespace troupe::gumbel
