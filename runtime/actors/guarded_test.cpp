#include "troupe/actors/guarded.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace troupe::actors {
namespace {

TEST(Guarded, PassesValuesOnUnchanged) {
  EXPECT_EQ(guarded([] { return 7; }).value(), 7);
  EXPECT_TRUE(guarded([] {}).has_value());
}

TEST(Guarded, TurnsAnExceptionIntoAnErrorWithItsText) {
  const auto result = guarded([]() -> int { throw std::runtime_error("boom"); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), Error(ErrorCode::internal, "the plugin threw: boom"));
}

TEST(Guarded, CatchesWhatIsNoExceptionClass) {
  EXPECT_EQ(guarded([] { throw 7; }).error().message(),
            "the plugin threw something that is no std::exception");
}

}  // namespace
}  // namespace troupe::actors
