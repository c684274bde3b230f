#include "troupe/testing/conformance.h"

#include <gtest/gtest.h>

TROUPE_CONFORMANCE()

namespace troupe {
namespace {

TEST(@Name@, RefusesAPromptThatIsTooLongWithBothNumbers) {
  const std::unique_ptr<Operator> object(troupe_plugin.spec->create());
  ASSERT_TRUE(object->configure(Params({{"longest", 3}})));
  auto& stage = dynamic_cast<Stage&>(*object);
  Request request;
  request.prompt = {{"abc", false}};
  EXPECT_EQ(stage.on_request(request).action, StageVerdict::Action::pass);
  request.prompt = {{"abcd", false}};
  const auto verdict = stage.on_request(request);
  ASSERT_EQ(verdict.action, StageVerdict::Action::refuse);
  EXPECT_EQ(verdict.error->message(), "the prompt has 4 bytes; expected at most 3");
}

}  // namespace
}  // namespace troupe
