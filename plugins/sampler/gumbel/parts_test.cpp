// The sampler's parts against plain ones.
#include "draw.h"
#include "fixed_math.h"
#include "head_reaching.h"
#include "noise.h"
#include "pool.h"
#include "restrict.h"
#include "row_copy.h"
#include "row_scan.h"
#include "selection.h"
#include "troupe/core/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace troupe::gumbel {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> random_row(std::mt19937& random, std::size_t size, float spread) {
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> row(size);
  for (auto& logit : row)
    logit = random() % 10 == 0 ? std::round(normal(random)) : normal(random);  // ties, too
  if (size > 3 && random() % 2 == 0) row[random() % size] = -kInfinity;
  return row;
}

std::vector<Candidate> sorted(const std::vector<float>& row) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] > -kInfinity) all.push_back({row[i], static_cast<TokenId>(i)});
  std::sort(all.begin(), all.end(), before);
  return all;
}

constexpr std::size_t kSizes[] = {1, 2, 15, 16, 17, 63, 64, 65, 1023, 1025, 5000};

TEST(FixedMath, LogEqualsTheLibrarysAsFarAsDoublesGo) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-700, 700);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::exp(exponent(random));
    EXPECT_NEAR(fixed_log(x), std::log(x), 1e-14 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  EXPECT_EQ(fixed_log(1.0), 0.0);
  EXPECT_EQ(fixed_log(2.0), std::log(2.0));
  const double near_one = 1 - 0x1p-33;  // the largest uniform number of a draw
  EXPECT_NEAR(fixed_log(near_one) / std::log(near_one), 1, 1e-14);
}

TEST(FixedMath, ExpEqualsTheLibrarysAsFarAsFloatsGo) {
  for (float x = 0; x > -86; x -= 0.00371f) {
    const double exact = std::exp(static_cast<double>(x));
    EXPECT_NEAR(static_cast<double>(fixed_exp(x)) / exact, 1, 4e-7) << x;
  }
  EXPECT_EQ(fixed_exp(0.0f), 1.0f);
  EXPECT_EQ(fixed_exp(-87.5f), 0.0f);
  EXPECT_EQ(fixed_exp(-kInfinity), 0.0f);
  EXPECT_EQ(fixed_exp(-3e38f), 0.0f);
}

TEST(FixedMath, EveryLaneOfAVectorIsTheScalar) {
  for (float x = 0; x > -100; x -= 0.37f) {
    const Floats lanes = fixed_exp(Floats{x, x - 1, x / 3, -kInfinity});
    EXPECT_EQ(lanes[0], fixed_exp(x));
    EXPECT_EQ(lanes[1], fixed_exp(x - 1));
    EXPECT_EQ(lanes[2], fixed_exp(x / 3));
    EXPECT_EQ(lanes[3], 0.0f);
  }
}

TEST(FixedMath, NoiseIsFiniteAndBoundedForAllBits) {
  EXPECT_NEAR(gumbel_noise(0), -std::log(33 * std::log(2.0)), 1e-12);
  EXPECT_NEAR(gumbel_noise(UINT32_MAX), 33 * std::log(2.0), 1e-9);
  EXPECT_LT(gumbel_noise(UINT32_MAX), kMaxNoise);
  EXPECT_NEAR(gumbel_noise(0x80000000u), 0.36651292, 1e-8);  // -log(-log 1/2)
}

TEST(Noise, AGroupHasTheBitsOfItsTokensHoweverTheyAreMade) {
  for (const auto make : ways_to_make_group_bits())
    for (const DrawKey key :
         {DrawKey{0, 0}, DrawKey{0xfedcba9876543210, 77}, DrawKey{~0ull, INT32_MAX}})
      for (const TokenId first : {0, 64, 49088})
        for (const std::uint32_t needed : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xf0000000u, ~0u}) {
          GroupBits group;
          const auto able = make(key, first, needed, group);
          for (std::size_t i = 0; i < kGroup; ++i) {
            const auto bits = token_bits(key.seed, key.position, first + static_cast<TokenId>(i));
            ASSERT_EQ(group.bits[i], bits);
            ASSERT_EQ((able >> i & 1) != 0, bits >= needed) << i << " " << needed;
          }
        }
}

TEST(RowScan, FindsTheLargestOfAnySize) {
  std::mt19937 random(2);
  for (const std::size_t size : kSizes)
    for (int i = 0; i < 20; ++i) {
      const auto row = random_row(random, size, 3);
      const auto all = sorted(row);
      if (all.empty()) continue;
      ASSERT_EQ(find_largest(row).value(), all.front());
      ASSERT_EQ(group_max(row), all.front().logit);
    }
}

TEST(RowScan, FindsABadLogitWhereverItIs) {
  for (const std::size_t size : kSizes)
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity}) {
      std::vector<float> row(size, 1.0f);
      row[size / 2] = bad;
      ASSERT_FALSE(find_largest(row)) << size;
      ASSERT_NE(find_largest(row).error().message().find("token " + std::to_string(size / 2) + " "),
                std::string::npos);
    }
}

TEST(RowScan, SumsExponentialsInOneOrder) {
  std::mt19937 random(3);
  for (const std::size_t size : kSizes) {
    const auto row = random_row(random, size, 2);
    const auto all = sorted(row);
    if (all.empty()) continue;
    double exact = 0;
    for (const auto& candidate : all)
      exact += std::exp((static_cast<double>(candidate.logit) - all.front().logit) / 0.7);
    EXPECT_NEAR(sum_exp(row, all.front().logit, 0.7f) / exact, 1, 2e-6);
  }
}

TEST(Selection, TheLargestAreThoseOfASortedRow) {
  std::mt19937 random(4);
  std::vector<Candidate> found;
  for (const std::size_t size : kSizes)
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{64},
                                    std::size_t{300}, size, size + 1}) {
      const auto row = random_row(random, size, count % 2 == 0 ? 3.0f : 0.0f);  // all equal, too
      auto expected = sorted(row);
      expected.resize(std::min(expected.size(), count));
      select_largest(row, count, found);
      ASSERT_EQ(found, expected) << size << " " << count;
    }
}

TEST(Selection, AscendingAndDescendingRowsAreSelectedAlike) {
  std::vector<float> row(5000);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<float>(i);
  std::vector<Candidate> found;
  select_largest(row, 100, found);
  EXPECT_EQ(found.front(), (Candidate{4999, 4999}));
  EXPECT_EQ(found.back(), (Candidate{4900, 4900}));
  std::reverse(row.begin(), row.end());
  select_largest(row, 100, found);
  EXPECT_EQ(found.back(), (Candidate{4900, 99}));
}

/// Probability of the tokens up to and including `edge`.
double mass_until(const std::vector<Candidate>& all, Candidate edge, float temperature) {
  double mass = 0, total = 0;
  for (const auto& candidate : all) {
    const double p = std::exp((static_cast<double>(candidate.logit) - all.front().logit) /
                              static_cast<double>(temperature));
    total += p;
    if (!before(edge, candidate)) mass += p;
  }
  return mass / total;
}

TEST(Selection, TheNucleusOfARowIsTheSmallestThatReachesP) {
  std::mt19937 random(5);
  NucleusRoom room;
  for (const std::size_t size : kSizes)
    for (const float spread : {0.001f, 0.3f, 5.0f})  // flat rows take the way by buckets
      for (const float p : {1e-9f, 0.3f, 0.9f, 0.999f, 0.99999994f}) {
        const auto row = random_row(random, size, spread);
        const auto all = sorted(row);
        if (all.empty()) continue;
        const auto edge = nucleus_edge(row, all.front(), 1.5f, p, room);
        const auto at = std::find(all.begin(), all.end(), edge);
        ASSERT_NE(at, all.end());
        EXPECT_GE(mass_until(all, edge, 1.5f), static_cast<double>(p) - 1e-5) << size;
        EXPECT_TRUE(at == all.begin() || mass_until(all, *(at - 1), 1.5f) <= p + 1e-5) << size;
      }
}

TEST(Selection, SortedCandidatesHaveTheSameNucleus) {
  std::mt19937 random(6);
  NucleusRoom room;
  for (int i = 0; i < 50; ++i) {
    const auto row = random_row(random, 200, 2);
    const auto all = sorted(row);
    const float p = static_cast<float>(random() % 98 + 1) / 100;
    const auto edge = nucleus_edge(row, all.front(), 0.8f, p, room);
    EXPECT_EQ(all[nucleus_size(all, 0.8f, p) - 1], edge);
  }
}

/// The definition, token by token.
TokenId plain_draw(const std::vector<float>& row, Candidate best, float temperature,
                   const Kept& kept, DrawKey key) {
  double top = -std::numeric_limits<double>::infinity();
  TokenId chosen = -1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const float y = (row[i] - best.logit) / temperature;
    if (before(kept.edge, {row[i], id}) || y < kept.limit) continue;
    const double score =
        static_cast<double>(y) + gumbel_noise(token_bits(key.seed, key.position, id));
    if (score > top) {
      top = score;
      chosen = id;
    }
  }
  return chosen;
}

TEST(Draw, SkippingWhatCannotWinChangesNothing) {
  std::mt19937 random(7);
  for (const std::size_t size : kSizes)
    for (int i = 0; i < 60; ++i) {
      const auto row = random_row(random, size, i % 3 == 0 ? 0.1f : 4.0f);
      const auto all = sorted(row);
      if (all.empty()) continue;
      Kept kept;
      if (i % 2 == 0) kept.edge = all[random() % all.size()];
      if (i % 5 == 0) kept.limit = -1.5f;
      const float temperature = static_cast<float>(random() % 30 + 1) / 10;
      const DrawKey key{random(), static_cast<std::int32_t>(random() % 1000)};
      ASSERT_EQ(draw(row, all.front(), temperature, kept, key),
                plain_draw(row, all.front(), temperature, kept, key))
          << size;
    }
}

TEST(Draw, APoolGivesTheTokenOfItsRow) {
  std::mt19937 random(8);
  std::vector<float> room;
  Pool pool;
  for (const std::size_t size : kSizes)  // below and above the size from which a row is made of it
    for (int i = 0; i < 60; ++i) {
      const auto row = random_row(random, size, i % 3 == 0 ? 0.1f : 4.0f);
      const auto all = sorted(row);
      if (all.empty()) continue;
      const auto edge = all[random() % all.size()];
      const float temperature = static_cast<float>(random() % 30 + 1) / 10;
      const DrawKey key{random(), static_cast<std::int32_t>(random() % 1000)};
      pool.open(row);
      pool.set_temperature(temperature);
      pool.keep_if([&](std::size_t at) {
        return !before(edge, {pool.logits()[at], pool.ids()[at]});
      });
      ASSERT_EQ(draw(pool, size, room, key),
                plain_draw(row, all.front(), temperature, {edge, -kInfinity}, key));
    }
}

TEST(HeadReaching, FindsTheLastOfTheSmallestHead) {
  std::mt19937 random(9);
  RankedRoom room;
  for (const std::size_t size : kSizes)
    for (int i = 0; i < 20; ++i) {
      std::vector<Ranked> items;
      double total = 0;
      for (std::size_t token = 0; token < size; ++token) {
        // Whole numbers: sums are exact in every order. Few keys: ties.
        items.push_back({static_cast<float>(random() % (i % 2 == 0 ? 4 : 10000)),
                         static_cast<TokenId>(token), static_cast<float>(random() % 100)});
        total += static_cast<double>(items.back().weight);
      }
      const double goal = i == 0   ? 0
                          : i == 1 ? total + 1
                                   : std::floor(total * (random() % 100) / 100);
      room.items = items;
      const auto found = last_reaching(room, goal);
      std::sort(items.begin(), items.end());
      std::size_t at = 0;
      double mass = static_cast<double>(items[0].weight);
      while (mass < goal && at + 1 < items.size())
        mass += static_cast<double>(items[++at].weight);
      ASSERT_EQ(found.token, items[at].token) << size << " goal " << goal;
    }
}

TEST(RowCopy, RowsThatAskForNothingAreNotCopied) {
  const std::vector<float> row{1, 2, 3};
  const SamplingParams params;
  SampleRow sample;
  sample.params = &params;
  RowCopy copy;
  copy.open(row);
  ASSERT_TRUE(restrict_tokens(sample, copy));
  EXPECT_EQ(copy.logits().data(), row.data());
  const std::vector<TokenId> banned{1};
  sample.banned = banned;
  ASSERT_TRUE(restrict_tokens(sample, copy));
  EXPECT_NE(copy.logits().data(), row.data());
  EXPECT_EQ(copy.logits()[1], -kInfinity);
  EXPECT_EQ(copy.logits()[2], 3);
}

}  // namespace
}  // namespace troupe::gumbel
