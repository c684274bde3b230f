#include "troupe/testing/test_data.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace troupe::testing {
namespace {

TEST(TestData, FollowsTheEnvironmentAndSkipsWhatIsAbsent) {
  ::setenv("TROUPE_TEST_DATA", "/", 1);
  EXPECT_EQ(test_data_folder(), std::filesystem::path("/"));
  ::setenv("TROUPE_TEST_DATA", "/no/such/folder", 1);
  EXPECT_FALSE(test_data_folder());
  ::unsetenv("TROUPE_TEST_DATA");
  ::setenv("TROUPE_TEST_MODEL", "/no/such/model.gguf", 1);
  EXPECT_FALSE(default_model_file());
  ::unsetenv("TROUPE_TEST_MODEL");
}

TEST(TestData, AnEmptyVariableCountsAsUnset) {
  ::setenv("HOME", "", 1);
  ::setenv("TROUPE_TEST_MODEL", "", 1);
  EXPECT_FALSE(default_model_file());
}

}  // namespace
}  // namespace troupe::testing
