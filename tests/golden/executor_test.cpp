// Logits, greedy continuations and perplexity of the executor, against the oracle's float32, by
// precision.
#include "golden_model.h"
#include "kl_statistic.h"
#include "precision_limits.h"
#include "prompt_logits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace troupe::golden {
namespace {

/// How far apart the oracle's two best logits must be for a precision to have to choose the same.
double clear_margin(std::string_view activations) {
  if (activations == "f32") return 0.001;
  if (activations == "int8x2") return 0.02;
  return activations == "bf16" ? 0.5 : 2.0;
}

constexpr std::int32_t kChunk = 64;

struct Case {
  const GoldenModel* model;
  std::string_view activations;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.model->stem << ' ' << c.activations;
}

class ExecutorGolden : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    auto text = read_golden_text(GetParam().model->fixture(".text.json"));
    ASSERT_TRUE(text) << text.error().message();
    text_ = std::move(*text);
    const auto file = GetParam().model->locate();
    if (!file) GTEST_SKIP() << GetParam().model->absence;
    auto resources = resources_for(*file, text_.model);
    ASSERT_TRUE(resources) << resources.error().message();
    resources_ = std::move(*resources);
    limits_ = *limits_for(GetParam().activations);
    resources_->params["main"] = Params({{"path", file->string()},
                                         {"activations", GetParam().activations},
                                         {"kv_precision", limits_.needs_f32_kv ? "f32" : "bf16"},
                                         {"context", std::int64_t{0}}});
    auto started =
        start_plugin(OperatorKind::executor, "transformer", {{"model", "main"}}, *resources_);
    ASSERT_TRUE(started) << started.error().message();
    executor_ = std::dynamic_pointer_cast<Executor>(*started);
  }

  void TearDown() override {
    if (executor_) executor_->stop();
  }

  /// The log-probability the executor gives each token of `ids` after the first.
  std::vector<double> logprobs(const std::vector<TokenId>& ids) {
    std::vector<double> scores;
    const auto done = run_prompt(
        *executor_, ids, kChunk, [&](std::int32_t position, std::span<const float> logits) {
          const auto next = static_cast<std::size_t>(position) + 1;
          if (next >= ids.size()) return;
          const double largest = *std::max_element(logits.begin(), logits.end());
          double sum = 0;
          for (const float logit : logits)
            sum += std::exp(static_cast<double>(logit) - largest);
          scores.push_back(static_cast<double>(logits[static_cast<std::size_t>(ids[next])]) -
                           largest - std::log(sum));
        });
    EXPECT_TRUE(done) << done.error().message();
    return scores;
  }

  GoldenText text_;
  PrecisionLimits limits_{};
  std::shared_ptr<testing::FakeResources> resources_;
  std::shared_ptr<Executor> executor_;
};

TEST_P(ExecutorGolden, LogitsAreAsNearTheOracleAsThePrecisionAllows) {
  const auto golden = read_golden_logits(GetParam().model->fixture(".logits.bin"));
  ASSERT_TRUE(golden) << golden.error().message();
  DivergenceSummary summary;
  for (const auto& prompt : golden->prompts) {
    const auto done = run_prompt(
        *executor_, prompt.ids, kChunk, [&](std::int32_t position, std::span<const float> logits) {
          summary.add(divergence(prompt.positions[static_cast<std::size_t>(position)], logits));
        });
    ASSERT_TRUE(done) << done.error().message();
  }
  std::cout << GetParam() << ": " << summary.text() << '\n';
  EXPECT_LE(summary.mean_kl(), limits_.mean_kl);
  EXPECT_GE(summary.top1_agreement(), limits_.top1_agreement);
}

TEST_P(ExecutorGolden, PerplexityIsTheOraclesWithinTheDivergence) {
  const auto scores = logprobs(text_.perplexity.ids);
  ASSERT_EQ(scores.size(), text_.perplexity.logprobs.size());
  double sum = 0;
  for (const double score : scores)
    sum += score;
  const double perplexity = std::exp(-sum / static_cast<double>(scores.size()));
  std::cout << GetParam() << ": perplexity " << perplexity << ", oracle "
            << text_.perplexity.perplexity << '\n';
  // Pinsker: a mean KL of k moves a log-probability by about its square root.
  const double allowed = std::sqrt(2 * limits_.mean_kl);
  EXPECT_NEAR(std::log(perplexity), std::log(text_.perplexity.perplexity), allowed);
}

TEST_P(ExecutorGolden, ChoosesTheOraclesTokensWhereItsMarginIsClear) {
  const double clear = clear_margin(GetParam().activations);
  for (const auto& continuation : text_.continuations) {
    const auto prompt = std::find_if(text_.prompts.begin(), text_.prompts.end(),
                                     [&](const auto& p) { return p.name == continuation.prompt; });
    ASSERT_NE(prompt, text_.prompts.end());
    auto ids = prompt->ids;
    const auto first = ids.size();
    ids.insert(ids.end(), continuation.ids.begin(), continuation.ids.end());
    const auto done = run_prompt(
        *executor_, ids, kChunk, [&](std::int32_t position, std::span<const float> logits) {
          const auto step = static_cast<std::size_t>(position) + 1;
          if (step < first || step >= ids.size() || continuation.margin[step - first] < clear)
            return;
          const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
          EXPECT_EQ(best, ids[step]) << continuation.prompt << ", token " << step - first;
        });
    ASSERT_TRUE(done) << done.error().message();
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& model : kGoldenModels)
    for (const auto& limits : kPrecisionLimits)
      cases.push_back({&model, limits.activations});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, ExecutorGolden, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) {
                           std::string name = std::string(info.param.model->stem) + "_" +
                                              std::string(info.param.activations);
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace troupe::golden
