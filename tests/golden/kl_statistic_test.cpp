#include "kl_statistic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace troupe::golden {
namespace {

std::vector<double> log_softmax(std::span<const float> logits) {
  double sum = 0;
  for (const float x : logits)
    sum += std::exp(static_cast<double>(x));
  std::vector<double> out;
  for (const float x : logits)
    out.push_back(x - std::log(sum));
  return out;
}

double textbook_kl(std::span<const float> p, std::span<const float> q) {
  const auto log_p = log_softmax(p), log_q = log_softmax(q);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    sum += std::exp(log_p[i]) * (log_p[i] - log_q[i]);
  return sum;
}

/// A sketch as tools/oracle makes it, but with a tail drawn independently.
LogitsSketch sketch_of(std::span<const float> logits, std::size_t head, std::size_t tail,
                       std::mt19937& random) {
  std::vector<TokenId> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  const auto log_p = log_softmax(logits);
  LogitsSketch sketch;
  sketch.logsumexp = logits[0] - log_p[0];
  const auto put = [&](SampledLogits& to, TokenId id) {
    to.ids.push_back(id);
    to.logits.push_back(logits[static_cast<std::size_t>(id)]);
  };
  std::vector<double> rest;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i < head)
      put(sketch.head, order[i]);
    else
      rest.push_back(std::exp(log_p[static_cast<std::size_t>(order[i])]));
  }
  sketch.rest_mass = std::accumulate(rest.begin(), rest.end(), 0.0);
  std::discrete_distribution<std::size_t> draw(rest.begin(), rest.end());
  for (std::size_t i = 0; i < tail && !rest.empty(); ++i)
    put(sketch.tail, order[head + draw(random)]);
  for (std::size_t id = 0; id < logits.size(); id += 3)
    put(sketch.sweep, static_cast<TokenId>(id));
  return sketch;
}

std::vector<float> random_logits(std::size_t size, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0f, 3.0f);
  std::vector<float> logits(size);
  for (float& x : logits)
    x = normal(random);
  return logits;
}

std::vector<float> with_noise(std::vector<float> logits, float noise, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0f, noise);
  for (float& x : logits)
    x += normal(random);
  return logits;
}

TEST(Excess, AgreesWithItsSeriesAndItsDefinition) {
  EXPECT_EQ(excess(0), 0);
  EXPECT_NEAR(excess(1), std::exp(1.0) - 2, 1e-15);
  EXPECT_NEAR(excess(1e-6) / 0.5e-12, 1 + 1e-6 / 3, 1e-12);
  EXPECT_NEAR(excess(0.00999999) / excess(0.01000001), 1 - 4e-6, 1e-7);
  EXPECT_GT(excess(-5), 0);
}

TEST(Divergence, OfEqualLogitsIsZeroAndAShiftOfAllLogitsChangesNothing) {
  std::mt19937 random(1);
  const auto logits = random_logits(300, random);
  const auto sketch = sketch_of(logits, 32, 16, random);
  auto shifted = logits;
  for (float& x : shifted)
    x += 4.0f;
  for (const auto& tested : {logits, shifted}) {
    const Divergence found = divergence(sketch, tested);
    EXPECT_LT(found.kl, 1e-12);
    EXPECT_LT(found.sweep_error, 1e-5);
    EXPECT_TRUE(found.same_top1);
  }
}

TEST(Divergence, IsThatOfTwoCoinsByHand) {
  // p = (1/2, 1/2), q = (3/4, 1/4): KL = log 2 - log(3) / 2.
  std::mt19937 random(1);
  const std::vector<float> p{0, 0}, q{std::log(3.0f), 0};
  const Divergence found = divergence(sketch_of(p, 2, 0, random), q);
  EXPECT_NEAR(found.kl, std::log(2.0) - std::log(3.0) / 2, 1e-7);
  EXPECT_EQ(found.kl, found.kl_bound);
  EXPECT_TRUE(found.same_top1) << "a tie goes to the lower id on both sides";
}

TEST(Divergence, BoundIsNeverAboveTheFullDivergence) {
  std::mt19937 random(2);
  for (const float noise : {1e-3f, 0.1f, 1.0f, 4.0f})
    for (int round = 0; round < 50; ++round) {
      const auto p = random_logits(500, random), q = with_noise(p, noise, random);
      const Divergence found = divergence(sketch_of(p, 20, 20, random), q);
      EXPECT_LE(found.kl_bound, textbook_kl(p, q) + 1e-12);
      EXPECT_GE(found.kl, found.kl_bound);
    }
}

TEST(Divergence, EstimateIsWithinPercentsOfTheFullDivergenceOnAverage) {
  std::mt19937 random(3);
  double full = 0, estimate = 0;
  for (int round = 0; round < 300; ++round) {
    const auto p = random_logits(1000, random), q = with_noise(p, 0.1f, random);
    full += textbook_kl(p, q);
    estimate += divergence(sketch_of(p, 64, 64, random), q).kl;
  }
  EXPECT_NEAR(estimate / full, 1.0, 0.05);
}

TEST(Divergence, TellsAMillionthOfABillionthFromZero) {
  // Two logits 1e-4 apart in the middle of a head: KL about 1e-9, where the textbook sum has lost
  // half of its digits to rounded log-probabilities.
  std::mt19937 random(4);
  const auto p = random_logits(200, random);
  auto q = p;
  const auto best = static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
  q[best] += 1e-4f;
  const double p_best = std::exp(log_softmax(p)[best]);
  const double moved = static_cast<double>(q[best]) - static_cast<double>(p[best]);
  const double expected = 0.5 * moved * moved * p_best * (1 - p_best);
  EXPECT_NEAR(divergence(sketch_of(p, 50, 10, random), q).kl / expected, 1.0, 1e-2);
}

TEST(Divergence, SeesMassThatMovesToAnIdNobodyDrew) {
  std::mt19937 random(5);
  const auto p = random_logits(500, random);
  auto q = p;
  q[static_cast<std::size_t>(std::min_element(p.begin(), p.end()) - p.begin())] = 20;
  const Divergence found = divergence(sketch_of(p, 20, 20, random), q);
  EXPECT_GT(found.kl, 1.0);
  EXPECT_FALSE(found.same_top1);
}

TEST(Divergence, SweepFindsOneDamagedRareLogit) {
  std::mt19937 random(6);
  auto p = random_logits(500, random);
  p[300] = -20;
  auto q = p;
  q[300] = -18;
  const Divergence found = divergence(sketch_of(p, 20, 20, random), q);
  EXPECT_LT(found.kl, 1e-8);
  EXPECT_NEAR(found.sweep_error, 2.0, 1e-3);
}

TEST(Divergence, OfARowThatIsNotFiniteIsInfinite) {
  std::mt19937 random(7);
  const auto p = random_logits(50, random);
  const auto sketch = sketch_of(p, 10, 10, random);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    auto q = p;
    q[49] = bad;
    EXPECT_EQ(divergence(sketch, q).kl, std::numeric_limits<double>::infinity());
    EXPECT_FALSE(divergence(sketch, q).same_top1);
  }
}

TEST(DivergenceSummary, ReportsMeanPercentileMaximumAndAgreement) {
  DivergenceSummary summary;
  EXPECT_EQ(summary.mean_kl(), 0);
  EXPECT_EQ(summary.top1_agreement(), 0);
  for (int i = 1; i <= 200; ++i)
    summary.add({double(i), double(i) / 2, double(i % 7), i % 4 != 0});
  EXPECT_EQ(summary.positions(), 200u);
  EXPECT_DOUBLE_EQ(summary.mean_kl(), 100.5);
  EXPECT_DOUBLE_EQ(summary.mean_kl_bound(), 50.25);
  EXPECT_EQ(summary.p99_kl(), 198);
  EXPECT_EQ(summary.max_kl(), 200);
  EXPECT_EQ(summary.sweep_error(), 6);
  EXPECT_EQ(summary.top1_agreement(), 0.75);
  for (int i = 0; i < 100; ++i)
    summary.add({0, 0, 0, false});
  EXPECT_EQ(summary.top1_agreement(), 0.5);
  EXPECT_NE(summary.text().find("300 positions, KL mean 6.700e+01"), std::string::npos);
}

}  // namespace
}  // namespace troupe::golden
