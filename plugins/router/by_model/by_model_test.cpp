#include "troupe/core/param_check.h"
#include "troupe/testing/conformance.h"

#include <gtest/gtest.h>

TROUPE_CONFORMANCE()

namespace troupe {
namespace {

const ReplicaState kReplicas[] = {{"small", 0}, {"large", 0}};

Result<std::size_t> choose(Value::Object params, std::string model) {
  std::unique_ptr<Operator> object(troupe_plugin.spec->create());
  auto complete = complete_params(troupe_plugin.spec->params, std::move(params));
  if (!complete) return fail(complete.error());
  if (auto configured = object->configure(*complete); !configured) return fail(configured.error());
  Request request;
  request.model = std::move(model);
  return dynamic_cast<Router&>(*object).choose(request, kReplicas);
}

TEST(ByModel, ChoosesTheOperatorThatIsCalledLikeTheModel) {
  EXPECT_EQ(choose({}, "small").value(), 0u);
  EXPECT_EQ(choose({}, "large").value(), 1u);
}

TEST(ByModel, ChoosesThroughTheTableWhenThereIsOne) {
  const Value::Object params = {{"models", Value::Array{"smollm2=large", "other=small"}}};
  EXPECT_EQ(choose(params, "smollm2").value(), 1u);
  EXPECT_EQ(choose(params, "large").error().message(),
            "there is no model 'large'; there are: other, smollm2");
}

TEST(ByModel, NamesWhatThereIsWhenAskedForAnother) {
  EXPECT_EQ(choose({}, "smal").error().message(),
            "there is no model 'smal'; did you mean 'small'? There are: small, large");
  EXPECT_EQ(choose({}, "smal").error().code(), ErrorCode::not_found);
}

TEST(ByModel, UsesTheDefaultOnlyForRequestsWithoutAModel) {
  EXPECT_EQ(choose({{"default", "large"}}, "").value(), 1u);
  EXPECT_FALSE(choose({}, ""));
}

TEST(ByModel, RefusesEntriesThatAreNoPairsOrStandTwice) {
  EXPECT_FALSE(choose({{"models", Value::Array{"=x"}}}, "x"));
  EXPECT_FALSE(choose({{"models", Value::Array{"x="}}}, "x"));
  EXPECT_FALSE(choose({{"models", Value::Array{"a=small", "a=large"}}}, "a"));
}

}  // namespace
}  // namespace troupe
