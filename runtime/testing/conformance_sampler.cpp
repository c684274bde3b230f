#include "troupe/api/sampler.h"
#include "troupe/testing/conformance_kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace troupe::testing {
namespace {

constexpr std::int32_t kWidth = 70;       // columns of the logits
constexpr std::int32_t kVocabulary = 64;  // the last columns are padding

struct Batch {
  std::vector<float> logits;
  std::vector<SamplingParams> params;
  std::vector<SampleRow> rows;
  std::vector<TokenId> history{1, 2, 3, 5, 5};

  explicit Batch(std::size_t count) : params(count) {
    std::uint64_t state = 42;
    for (std::size_t i = 0; i < count * kWidth; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      logits.push_back(static_cast<float>(state >> 40) / 4194304.0f);  // 0 .. 4
    }
    for (std::size_t i = 0; i < count; ++i) {
      params[i].temperature = i % 3 == 0 ? 0.0f : 0.5f * static_cast<float>(i % 3);
      params[i].top_k = i % 4 == 1 ? 7 : 0;
      SampleRow row;
      row.sequence = SequenceId{i + 1};
      row.row = static_cast<std::uint32_t>(i);
      row.params = &params[i];
      row.history = history;
      row.prompt_tokens = 3;
      row.position = 5;
      row.seed = 1000 + i;
      rows.push_back(row);
    }
  }

  float& logit(std::size_t row, std::int32_t column) {
    return logits[row * kWidth + static_cast<std::size_t>(column)];
  }

  SampledTokens sample(const Sampler& sampler, std::span<const SampleRow> some) {
    SampleBatch batch;
    batch.step = StepId{9};
    batch.logits = {logits.data(), static_cast<std::uint32_t>(params.size()), kWidth};
    batch.rows = some;
    batch.vocab_size = kVocabulary;
    SampledTokens out;
    out.tokens.resize(3);  // what an earlier step left there
    sampler.sample(batch, out);
    EXPECT_EQ(out.step, batch.step);
    EXPECT_EQ(out.tokens.size(), some.size());
    out.tokens.resize(some.size());
    for (std::size_t i = 0; i < some.size(); ++i)
      EXPECT_EQ(out.tokens[i].sequence, some[i].sequence);
    return out;
  }
};

void expect_rows_alone_equal_rows_together(const Sampler& sampler) {
  Batch batch(12);
  const auto together = batch.sample(sampler, batch.rows);
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const auto& token = together.tokens[i];
    ASSERT_FALSE(token.error) << token.error->message();
    EXPECT_GE(token.token, 0);
    EXPECT_LT(token.token, kVocabulary);
    const auto alone = batch.sample(sampler, std::span(batch.rows).subspan(i, 1));
    EXPECT_EQ(alone.tokens[0].token, token.token) << "row " << i << " depends on its company";
  }
}

void expect_bad_rows_fail_alone(const Sampler& sampler) {
  Batch good(4), bad(4);
  for (std::int32_t i = 0; i < kWidth; ++i) {
    bad.logit(1, i) = -std::numeric_limits<float>::infinity();
    bad.logit(2, i) = std::numeric_limits<float>::quiet_NaN();
  }
  const auto expected = good.sample(sampler, good.rows);
  const auto found = bad.sample(sampler, bad.rows);
  EXPECT_TRUE(found.tokens[1].error) << "a row without candidates drew a token";
  EXPECT_TRUE(found.tokens[2].error) << "a row of NaN drew a token";
  for (const std::size_t i : {0u, 3u}) {
    EXPECT_FALSE(found.tokens[i].error);
    EXPECT_EQ(found.tokens[i].token, expected.tokens[i].token);
  }
}

void expect_dead_tokens_stay_dead(const Sampler& sampler) {
  Batch batch(6);
  const std::vector<TokenId> banned{4, 9};
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    batch.rows[i].banned = banned;
    batch.logit(i, 4) = 50;                // banned and the best
    batch.logit(i, kVocabulary + 2) = 90;  // padding and better still
  }
  for (const auto& token : batch.sample(sampler, batch.rows).tokens) {
    ASSERT_FALSE(token.error) << token.error->message();
    EXPECT_NE(token.token, 4);
    EXPECT_LT(token.token, kVocabulary);
  }
}

}  // namespace

void check_sampler(const MakeOperator& make) {
  const auto op = make();
  const auto* sampler = dynamic_cast<const Sampler*>(op.get());
  ASSERT_NE(sampler, nullptr);
  Batch one(1);
  EXPECT_TRUE(one.sample(*sampler, {}).tokens.empty());
  expect_rows_alone_equal_rows_together(*sampler);
  expect_bad_rows_fail_alone(*sampler);
  expect_dead_tokens_stay_dead(*sampler);
  // Another instance, or the same one later, draws the same.
  const auto other = make();
  Batch again(12);
  const auto first = again.sample(*sampler, again.rows);
  const auto second = again.sample(dynamic_cast<const Sampler&>(*other), again.rows);
  for (std::size_t i = 0; i < first.tokens.size(); ++i)
    EXPECT_EQ(first.tokens[i].token, second.tokens[i].token);
}

}  // namespace troupe::testing
