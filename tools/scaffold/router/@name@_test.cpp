#include "troupe/testing/conformance.h"

#include <gtest/gtest.h>

TROUPE_CONFORMANCE()

namespace troupe {
namespace {

TEST(@Name@, ChoosesTheOperatorWithTheFewestRequests) {
  const std::unique_ptr<Operator> object(troupe_plugin.spec->create());
  const ReplicaState replicas[] = {{"a", 3}, {"b", 1}, {"c", 1}};
  EXPECT_EQ(dynamic_cast<Router&>(*object).choose({}, replicas).value(), 1u);
  EXPECT_FALSE(dynamic_cast<Router&>(*object).choose({}, {}));
}

}  // namespace
}  // namespace troupe
