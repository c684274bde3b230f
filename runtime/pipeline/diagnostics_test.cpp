#include "troupe/pipeline/diagnostics.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

TEST(Diagnostic, SaysWhereWhatWasFoundWhatWasExpectedAndTheNearestName) {
  Diagnostics all;
  all.add({"chat.toml", 12, 3}, "unknown kind 'shceduler'", "a kind", "scheduler");
  EXPECT_EQ(all.to_error().message(),
            "chat.toml:12:3: unknown kind 'shceduler'; expected a kind; did you mean 'scheduler'?");
}

TEST(Diagnostic, LeavesOutWhatItDoesNotKnow) {
  Diagnostics all;
  all.add({"--set", 0, 0}, "no '=' in 'a'");
  EXPECT_EQ(all.to_error().message(), "--set: no '=' in 'a'");
}

TEST(Diagnostics, SortsByLineAndKeepsTheFilesInOrderOfAppearance) {
  Diagnostics all;
  all.add({"z.toml", 9, 1}, "third");
  all.add({"a.toml", 1, 1}, "fourth");
  all.add({"z.toml", 2, 7}, "second");
  all.add({"z.toml", 2, 1}, "first");
  EXPECT_EQ(all.to_error().message(),
            "z.toml:2:1: first\nz.toml:2:7: second\nz.toml:9:1: third\na.toml:1:1: fourth");
}

TEST(Diagnostics, AnErrorHasTheCodeOfTheFirstLine) {
  Diagnostics all;
  all.add({"a", 2, 1}, "later");
  all.add({"a", 1, 1}, "no such plugin", "", "", ErrorCode::not_found);
  EXPECT_EQ(all.to_error().code(), ErrorCode::not_found);
}

TEST(JoinNames, SaysNoneForAnEmptyList) {
  EXPECT_EQ(join_names({}), "none");
  EXPECT_EQ(join_names({"a", "b"}), "a, b");
}

}  // namespace
}  // namespace troupe::pipeline
