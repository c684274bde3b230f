#pragma once
#include "troupe/api/plugin.h"
#include "troupe/api/sampler.h"
#include "troupe/core/param_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

extern "C" const troupe::PluginDescriptor troupe_plugin;

namespace troupe::gumbel {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// One row and how it is sampled.
struct Case {
  std::vector<float> logits;
  std::vector<std::string> chain;  // none = the default
  SamplingParams params;
  std::vector<TokenId> history;
  std::int32_t prompt_tokens = 0;
  std::vector<TokenId> banned;
  std::vector<std::vector<TokenId>> bad_words;
  std::vector<float> surprises;
  const TokenTable* tokens = nullptr;
  TokenId scored = -1;
  std::int32_t position = 0;
  std::int32_t vocab_size = 0;

  explicit Case(std::vector<float> row) : logits(std::move(row)) {}

  std::unique_ptr<Operator> make_sampler() const {
    std::unique_ptr<Operator> op(troupe_plugin.spec->create());
    Value::Object params;
    if (!chain.empty()) {
      Value::Array names(chain.begin(), chain.end());
      params.emplace_back("chain", std::move(names));
    }
    const auto configured =
        op->configure(complete_params(troupe_plugin.spec->params, params).value());
    EXPECT_TRUE(configured) << configured.error().message();
    return op;
  }

  SampledToken sample() const {
    const auto op = make_sampler();
    return sample_with(dynamic_cast<const Sampler&>(*op));
  }

  SampledToken sample_with(const Sampler& sampler) const {
    SampleRow row;
    row.params = &params;
    row.history = history;
    row.prompt_tokens = prompt_tokens;
    row.position = position;
    row.banned = banned;
    row.bad_words = bad_words;
    row.surprises = surprises;
    row.tokens = tokens;
    row.scored = scored;
    row.seed = params.seed.value_or(0);
    SampledTokens out;
    sampler.sample({StepId{1},
                    {logits.data(), 1, static_cast<std::int32_t>(logits.size())},
                    {&row, 1},
                    vocab_size},
                   out);
    return out.tokens.at(0);
  }

  TokenId token() const {
    const auto sampled = sample();
    EXPECT_FALSE(sampled.error) << sampled.error->message();
    return sampled.token;
  }

  /// How often each token comes in `count` draws at positions 0, 1, ...
  std::map<TokenId, int> draws(int count) const {
    const auto op = make_sampler();
    Case each = *this;
    std::map<TokenId, int> counts;
    for (each.position = 0; each.position < count; ++each.position)
      ++counts[each.sample_with(dynamic_cast<const Sampler&>(*op)).token];
    return counts;
  }

  std::set<TokenId> drawn(int count = 400) const {
    std::set<TokenId> tokens;
    for (const auto& [token, times] : draws(count))
      tokens.insert(token);
    return tokens;
  }
};

using Tokens = std::set<TokenId>;

inline std::vector<float> logs(std::vector<double> probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities)
    logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

inline Case greedy(std::vector<float> logits) {
  Case one(std::move(logits));
  one.params.temperature = 0;
  return one;
}

/// How far draws are from the probabilities: the statistic of the chi-square test. Tokens without
/// probability must not be drawn.
inline double chi_square(const std::map<TokenId, int>& counts,
                         const std::vector<double>& probabilities) {
  int draws = 0;
  for (const auto& [token, count] : counts)
    draws += count;
  double sum = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const auto found = counts.find(static_cast<TokenId>(i));
    const double count = found == counts.end() ? 0 : found->second;
    const double expected = draws * probabilities[i];
    if (expected == 0) {
      EXPECT_EQ(count, 0) << "token " << i;
      continue;
    }
    sum += (count - expected) * (count - expected) / expected;
  }
  return sum;
}

}  // namespace troupe::gumbel
