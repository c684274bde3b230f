// Logits with keys and values of each precision, against the oracle's float32. Activations are
// float32, so that all that is measured is what the cache rounds.
#include "golden_model.h"
#include "kl_statistic.h"
#include "prompt_logits.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace troupe::golden {
namespace {

struct KvLimits {
  const char* kv_precision;
  double mean_kl;         // nats
  double top1_agreement;  // 0..1
};

/// About twice what was measured, so that a change of the compiler passes and a fault does not.
constexpr KvLimits kKvLimits[] = {
    {"f32", 1e-8, 1.0},
    {"f16", 2e-6, 0.998},
    {"bf16", 1e-4, 0.992},
    {"int8", 1.5e-3, 0.97},
};

struct Case {
  const GoldenModel* model;
  const KvLimits* limits;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.model->stem << " KV " << c.limits->kv_precision;
}

class KvPrecisionGolden : public ::testing::TestWithParam<Case> {};

TEST_P(KvPrecisionGolden, LogitsAreAsNearTheOracleAsTheCacheAllows) {
  const auto& [model, limits] = GetParam();
  const auto text = read_golden_text(model->fixture(".text.json"));
  ASSERT_TRUE(text) << text.error().message();
  const auto file = model->locate();
  if (!file) GTEST_SKIP() << model->absence;
  const auto golden = read_golden_logits(model->fixture(".logits.bin"));
  ASSERT_TRUE(golden) << golden.error().message();
  auto resources = resources_for(*file, text->model);
  ASSERT_TRUE(resources) << resources.error().message();
  (*resources)->params["main"] = Params({{"path", file->string()},
                                         {"activations", "f32"},
                                         {"kv_precision", limits->kv_precision},
                                         {"context", std::int64_t{0}}});
  const auto started =
      start_plugin(OperatorKind::executor, "transformer", {{"model", "main"}}, **resources);
  ASSERT_TRUE(started) << started.error().message();
  const auto executor = std::dynamic_pointer_cast<Executor>(*started);
  DivergenceSummary summary;
  for (const auto& prompt : golden->prompts) {
    const auto done = run_prompt(
        *executor, prompt.ids, 64, [&](std::int32_t position, std::span<const float> logits) {
          summary.add(divergence(prompt.positions[static_cast<std::size_t>(position)], logits));
        });
    ASSERT_TRUE(done) << done.error().message();
  }
  std::cout << GetParam() << ": " << executor->info().kv_bytes_per_token << " bytes a token, "
            << summary.text() << '\n';
  EXPECT_LE(summary.mean_kl(), limits->mean_kl);
  EXPECT_GE(summary.top1_agreement(), limits->top1_agreement);
  executor->stop();
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& model : kGoldenModels)
    for (const auto& limits : kKvLimits)
      cases.push_back({&model, &limits});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, KvPrecisionGolden, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) {
                           const bool stories = info.param.model == &kGoldenModels[1];
                           return std::string(stories ? "stories260k" : "smollm2") + "_kv_" +
                                  info.param.limits->kv_precision;
                         });

}  // namespace
}  // namespace troupe::golden
