#include "dry.h"

#include "test_case.h"
#include "troupe/api/tokenizer.h"

#include <algorithm>

namespace troupe::gumbel {
namespace {

using Ids = std::vector<TokenId>;

/// Tokens with the given texts.
class Words final : public TokenTable {
 public:
  explicit Words(std::vector<std::string> texts) : texts_(std::move(texts)) {}
  std::int32_t size() const override { return static_cast<std::int32_t>(texts_.size()); }
  std::string_view bytes(TokenId id) const override { return texts_[static_cast<std::size_t>(id)]; }
  bool is_control(TokenId) const override { return false; }
  std::span<const TokenId> end_of_generation() const override { return {}; }

 private:
  std::vector<std::string> texts_;
};

/// What DRY takes off each of ten logits.
std::vector<float> taken_off(const Ids& history, SamplingParams params,
                             const TokenTable* tokens = nullptr) {
  const std::vector<float> row(10, 0.0f);
  SampleRow sample;
  sample.params = &params;
  sample.history = history;
  sample.tokens = tokens;
  RowCopy copy;
  copy.open(row);
  DryRoom room;
  const auto done = apply_dry(sample, copy, room);
  EXPECT_TRUE(done) << done.error().message();
  std::vector<float> off;
  for (const float logit : copy.logits())
    off.push_back(-logit);
  return off;
}

SamplingParams dry(float multiplier, float base, std::int32_t allowed) {
  SamplingParams params;
  params.dry_multiplier = multiplier;
  params.dry_base = base;
  params.dry_allowed_length = allowed;
  return params;
}

std::vector<float> only(TokenId token, float off) {
  std::vector<float> all(10, 0.0f);
  all[static_cast<std::size_t>(token)] = off;
  return all;
}

TEST(Dry, MatchesTheTailAtEveryPlace) {
  std::vector<std::int32_t> matches;
  match_tail(Ids{1, 2, 3, 1, 2, 3, 1, 2}, matches);
  EXPECT_EQ(matches, (std::vector<std::int32_t>{8, 0, 0, 5, 0, 0, 2, 0}));
  match_tail(Ids{4, 4, 4, 4}, matches);
  EXPECT_EQ(matches, (std::vector<std::int32_t>{4, 3, 2, 1}));
  match_tail(Ids{}, matches);
  EXPECT_TRUE(matches.empty());
}

// The last five tokens stood before and were followed by 3: 0.8 * 1.75^(5 - 2) = 4.2875.
TEST(Dry, PenalisesWhatWouldGoOnWithARepetition) {
  const Ids history{1, 2, 3, 1, 2, 3, 1, 2};
  EXPECT_EQ(taken_off(history, dry(0.8f, 1.75f, 2)), only(3, 4.2875f));
  EXPECT_EQ(taken_off(history, dry(0.8f, 1.75f, 5)), only(3, 0.8f));
  EXPECT_EQ(taken_off(history, dry(0.8f, 1.75f, 6)), only(3, 0));
  EXPECT_EQ(taken_off({1, 2, 3}, dry(1, 2, 1)), only(3, 0));
  EXPECT_EQ(taken_off({1}, dry(1, 2, 1)), only(3, 0));
}

// 7 followed "5 6" and 8 followed "4 5 6": 2^(2 - 1) and 2^(3 - 1).
TEST(Dry, EachTokenPaysForTheLongestRepetitionItWouldGoOnWith) {
  auto expected = only(7, 2);
  expected[8] = 4;
  EXPECT_EQ(taken_off({5, 6, 7, 4, 5, 6, 8, 1, 4, 5, 6}, dry(1, 2, 1)), expected);
  expected[7] = 8;  // 7 after "3 4 5 6" as well: it pays once, for the longer one
  EXPECT_EQ(taken_off({5, 6, 7, 3, 4, 5, 6, 7, 4, 5, 6, 8, 3, 4, 5, 6}, dry(1, 2, 1)), expected);
}

TEST(Dry, TheWindowLimitsHowFarItLooks) {
  const Ids history{1, 2, 3, 1, 2, 3, 1, 2};
  auto params = dry(1, 2, 2);
  params.dry_penalty_last_n = 5;  // 1 2 3 1 2: a match of 2
  EXPECT_EQ(taken_off(history, params), only(3, 1));
  params.dry_penalty_last_n = 4;  // 2 3 1 2: a match of 1
  EXPECT_EQ(taken_off(history, params), only(3, 0));
  Case one({0, 0, 0, 1});
  one.history = history;
  one.params = dry(100, 2, 2);
  one.params.temperature = 0;
  EXPECT_EQ(one.token(), 0);
  one.params.dry_penalty_last_n = 0;
  EXPECT_EQ(one.token(), 3);
}

TEST(Dry, RepetitionsDoNotReachOverABreaker) {
  const Words words({"", " a", " b", " c", "x", "y", "z", "", "", ".\n"});
  auto params = dry(1, 2, 2);
  const Ids history{1, 2, 3, 9, 1, 2, 3, 9, 1, 2};
  EXPECT_EQ(taken_off(history, params), only(3, 16));  // no texts, no breakers: 2^(6 - 2)
  EXPECT_EQ(taken_off(history, params, &words), only(3, 1));
  params.dry_allowed_length = 3;
  EXPECT_EQ(taken_off(history, params, &words), only(3, 0));
  params.dry_sequence_breakers = {};
  EXPECT_EQ(taken_off(history, params, &words), only(3, 8));
}

TEST(Dry, BreakersMayBeMadeOfSeveralTokensAndPartsOfThem) {
  const Words words({"", " a", " b", " c", "x", "y", "z", "", "", ".\n"});
  auto params = dry(1, 2, 2);
  params.dry_sequence_breakers = {"xy"};
  EXPECT_EQ(taken_off({1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2}, params, &words), only(3, 1));
  EXPECT_EQ(taken_off({1, 2, 3, 4, 6, 1, 2, 3, 4, 6, 1, 2}, params, &words), only(3, 32));
  params.dry_sequence_breakers = {"cx"};
  EXPECT_EQ(taken_off({1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2}, params, &words), only(3, 2));
}

TEST(Dry, ATokenThatHoldsABreakerIsNotPenalised) {
  const Words words({"", " a", " b", " c", "x", "y", "z", "", "", ".\n"});
  EXPECT_EQ(taken_off({1, 2, 3, 9, 1, 2, 3}, dry(1, 2, 2)), only(9, 2));
  EXPECT_EQ(taken_off({1, 2, 3, 9, 1, 2, 3}, dry(1, 2, 2), &words), only(9, 0));
}

TEST(Dry, PenaltiesOfLongRepetitionsStayFinite) {
  const Ids history(3000, 4);
  const auto off = taken_off(history, dry(3e38f, 3e38f, 1));
  EXPECT_EQ(off[4], 1e30f);
  Case one({0, 1});
  one.history.assign(100000, 1);
  one.params = dry(5, 2, 2);
  EXPECT_EQ(one.drawn(20), std::set<TokenId>{0});
}

// D28: a past token outside the vocabulary writes nowhere.
TEST(Dry, TokensOutsideTheVocabularyAreAnError) {
  for (const TokenId outside : {-1, 2, INT32_MAX}) {
    Case one({3, 2});
    one.history = {0, 1, outside, 0, 1};
    one.params = dry(1, 2, 2);
    EXPECT_TRUE(one.sample().error) << outside;
  }
}

/// What the definition says: the token in which a breaker ends that ends last.
std::size_t plain_tokens_since(const Words& words, const Ids& history,
                               const std::vector<std::string>& breakers) {
  std::string text;
  std::size_t since = history.size();
  for (std::size_t i = 0; i < history.size(); ++i) {
    const auto before = text.size();
    text += words.bytes(history[i]);
    for (std::size_t end = before + 1; end <= text.size(); ++end)
      for (const auto& breaker : breakers)
        if (std::string_view(text).substr(0, end).ends_with(breaker))
          since = history.size() - 1 - i;
  }
  return since;
}

/// What the definition says of dry(1, 1.5, 1) in all.
std::vector<float> plainly(const Words& words, const Ids& history,
                           const std::vector<std::string>& breakers) {
  std::vector<std::int32_t> matches;
  match_tail(history, matches);
  const auto since = static_cast<std::int32_t>(plain_tokens_since(words, history, breakers));
  std::vector<float> off(10, 0.0f);
  for (std::size_t d = 1; d < history.size(); ++d) {
    const TokenId token = history[history.size() - d];
    const auto length = std::min(matches[d], since);
    const bool broken = std::ranges::any_of(breakers, [&](const std::string& breaker) {
      return words.bytes(token).find(breaker) != std::string_view::npos;
    });
    if (length < 1 || broken) continue;
    auto& most = off[static_cast<std::size_t>(token)];
    most = std::max(most, static_cast<float>(std::pow(1.5, length - 1)));
  }
  return off;
}

TEST(Dry, TheLastBreakerIsFoundWhereverItEnds) {
  const Words words({"ab", "b", "", "aba", "c"});
  std::uint32_t dice = 7;
  const auto roll = [&](std::uint32_t sides) {
    return (dice = dice * 1664525 + 1013904223) / 65536 % sides;
  };
  for (int round = 0; round < 1000; ++round) {
    Ids history;
    for (std::uint32_t i = 1 + roll(5); i > 0; --i)
      history.push_back(static_cast<TokenId>(roll(5)));
    const Ids once = history;
    while (history.size() < 25)
      history.insert(history.end(), once.begin(), once.end());
    auto params = dry(1, 1.5f, 1);
    params.dry_sequence_breakers.clear();
    for (std::uint32_t i = roll(3); i > 0; --i)
      params.dry_sequence_breakers.push_back(std::string("abcba").substr(roll(3), 1 + roll(3)) +
                                             std::string(roll(2), 'a'));
    const auto expected = plainly(words, history, params.dry_sequence_breakers);
    const auto off = taken_off(history, params, &words);
    for (std::size_t i = 0; i < off.size(); ++i)
      EXPECT_NEAR(off[i], expected[i], 1e-4 * static_cast<double>(expected[i]))
          << "round " << round << ", token " << i;
  }
}

// Each step looks for breakers: a long one is no reason to build its text for every token again.
TEST(Dry, ALongBreakerThatStandsNowhereChangesNothing) {
  const Words words({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"});
  auto params = dry(1, 1, 2);
  params.dry_sequence_breakers = {std::string(16000, 'd') + "x", "x" + std::string(16000, 'd')};
  EXPECT_EQ(taken_off(Ids(8192, 3), params, &words), only(3, 1));
}

}  // namespace
}  // namespace troupe::gumbel
