#include "troupe/core/param_check.h"
#include "troupe/testing/conformance.h"

#include <gtest/gtest.h>

TROUPE_CONFORMANCE()

namespace troupe {
namespace {

TEST(NullExecutor, MakesTheNamedTokenTheLargestOfEveryRow) {
  std::unique_ptr<Operator> object(troupe_plugin.spec->create());
  auto params = complete_params(troupe_plugin.spec->params, {{"vocab_size", 5}, {"token", 3}});
  ASSERT_TRUE(object->configure(*params));
  StepPlan plan;
  plan.num_rows = 3;
  std::vector<float> all;
  dynamic_cast<Executor&>(*object).submit(plan, [&](const StepResult& result) {
    all.assign(result.logits.data, result.logits.data + 15);
  });
  EXPECT_EQ(all, (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}));
}

TEST(NullExecutor, RefusesATokenOutsideItsVocabulary) {
  std::unique_ptr<Operator> object(troupe_plugin.spec->create());
  auto params = complete_params(troupe_plugin.spec->params, {{"vocab_size", 5}, {"token", 5}});
  EXPECT_FALSE(object->configure(*params));
}

}  // namespace
}  // namespace troupe
