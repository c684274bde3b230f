#include "troupe/testing/conformance.h"

#include <gtest/gtest.h>

// Declared parameters, refusals, life cycle, determinism: what every sampler must do.
TROUPE_CONFORMANCE()

namespace troupe {
namespace {

TokenId draw(const std::vector<float>& logits, bool larger_id_on_tie = false) {
  const std::unique_ptr<Operator> object(troupe_plugin.spec->create());
  EXPECT_TRUE(object->configure(Params({{"larger_id_on_tie", larger_id_on_tie}})));
  SamplingParams params;
  SampleRow row;
  row.params = &params;
  SampledTokens out;
  const auto size = static_cast<std::int32_t>(logits.size());
  dynamic_cast<Sampler&>(*object).sample({StepId{1}, {logits.data(), 1, size}, {&row, 1}, size},
                                         out);
  return out.tokens.at(0).token;
}

TEST(@Name@, DrawsTheLargestAndTheSmallerIdOnATie) {
  EXPECT_EQ(draw({0.5f, 2.0f, 1.0f}), 1);
  EXPECT_EQ(draw({2.0f, 1.0f, 2.0f}), 0);
  EXPECT_EQ(draw({2.0f, 1.0f, 2.0f}, true), 2);
}

}  // namespace
}  // namespace troupe
