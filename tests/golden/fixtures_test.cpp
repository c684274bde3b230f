// The committed fixtures are whole, and their files agree with each other: a change of prompts that
// forgot to make one of them again is found here, not as a strange divergence.
#include "golden_logits.h"
#include "golden_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace troupe::golden {
namespace {

class Fixtures : public ::testing::TestWithParam<const char*> {
 protected:
  static std::filesystem::path path(const std::string& suffix) {
    return std::filesystem::path(TROUPE_SOURCE_DIR) / "tests/data/golden" / (GetParam() + suffix);
  }

  void SetUp() override {
    auto logits = read_golden_logits(path(".logits.bin"));
    auto text = read_golden_text(path(".text.json"));
    ASSERT_TRUE(logits) << logits.error().message();
    ASSERT_TRUE(text) << text.error().message();
    logits_ = std::move(*logits);
    text_ = std::move(*text);
  }

  const LogitsSketch& last_of(const std::string& prompt) const {
    for (std::size_t i = 0; i < text_.prompts.size(); ++i)
      if (text_.prompts[i].name == prompt) return logits_.prompts[i].positions.back();
    ADD_FAILURE() << "no prompt " << prompt;
    return logits_.prompts.front().positions.front();
  }

  GoldenLogits logits_;
  GoldenText text_;
};

TEST_P(Fixtures, LogitsBelongToThePromptsOfTheText) {
  ASSERT_EQ(logits_.prompts.size(), text_.prompts.size());
  for (std::size_t i = 0; i < text_.prompts.size(); ++i)
    EXPECT_EQ(logits_.prompts[i].ids, text_.prompts[i].ids) << text_.prompts[i].name;
}

TEST_P(Fixtures, HeadAndRestHaveAllProbability) {
  for (const PromptSketches& prompt : logits_.prompts)
    for (const LogitsSketch& sketch : prompt.positions) {
      double mass = sketch.rest_mass;
      for (const float logit : sketch.head.logits)
        mass += std::exp(logit - sketch.logsumexp);
      EXPECT_NEAR(mass, 1.0, 1e-12);
    }
}

TEST_P(Fixtures, HeadsDescendAndTailsLieOutsideThem) {
  for (const PromptSketches& prompt : logits_.prompts)
    for (const LogitsSketch& sketch : prompt.positions) {
      EXPECT_TRUE(std::is_sorted(sketch.head.logits.rbegin(), sketch.head.logits.rend()));
      const std::set<TokenId> head(sketch.head.ids.begin(), sketch.head.ids.end());
      EXPECT_EQ(head.size(), sketch.head.ids.size());
      for (const TokenId id : sketch.tail.ids)
        EXPECT_FALSE(head.contains(id));
      for (const float logit : sketch.tail.logits)
        EXPECT_LE(logit, sketch.head.logits.back());
    }
}

TEST_P(Fixtures, SweepCoversEveryVocabularyIdOnce) {
  std::vector<int> seen(static_cast<std::size_t>(logits_.vocab_size));
  for (const PromptSketches& prompt : logits_.prompts)
    for (const LogitsSketch& sketch : prompt.positions)
      for (const TokenId id : sketch.sweep.ids)
        ++seen[static_cast<std::size_t>(id)];
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), logits_.vocab_size);
}

TEST_P(Fixtures, ContinuationsBeginWithTheLargestLogitOfTheirPrompt) {
  EXPECT_GE(text_.continuations.size(), 5u);
  for (const Continuation& continuation : text_.continuations) {
    const LogitsSketch& sketch = last_of(continuation.prompt);
    ASSERT_EQ(continuation.ids.size(), continuation.margin.size());
    ASSERT_EQ(continuation.ids.size(), continuation.runner_up.size());
    EXPECT_EQ(continuation.ids.front(), sketch.head.ids[0]);
    EXPECT_EQ(continuation.runner_up.front(), sketch.head.ids[1]);
    EXPECT_NEAR(continuation.margin.front(), sketch.head.logits[0] - sketch.head.logits[1], 1e-5);
  }
}

TEST_P(Fixtures, PerplexityIsThatOfItsLogProbabilities) {
  const GoldenPerplexity& golden = text_.perplexity;
  ASSERT_EQ(golden.logprobs.size() + 1, golden.ids.size());
  const double sum = std::accumulate(golden.logprobs.begin(), golden.logprobs.end(), 0.0);
  EXPECT_NEAR(std::exp(-sum / static_cast<double>(golden.logprobs.size())), golden.perplexity,
              1e-4);
}

TEST_P(Fixtures, TokensHoldTheWholeHostileCorpusOfTheSameModel) {
  const auto tokens = read_golden_tokens(path(".tokens.json"));
  ASSERT_TRUE(tokens) << tokens.error().message();
  EXPECT_EQ(tokens->model.file, text_.model.file);
  EXPECT_EQ(tokens->model.bytes, text_.model.bytes);
  EXPECT_GE(tokens->cases.size(), 400u);
  for (const TokenCase& found : tokens->cases)
    for (const TokenId id : found.ids)
      EXPECT_LT(id, logits_.vocab_size) << found.name;
}

INSTANTIATE_TEST_SUITE_P(Models, Fixtures,
                         ::testing::Values("smollm2-135m-instruct.q4_1", "stories260k"),
                         [](const auto& info) { return std::string(info.param).substr(0, 7); });

}  // namespace
}  // namespace troupe::golden
