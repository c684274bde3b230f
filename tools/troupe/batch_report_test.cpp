#include "batch_report.h"

#include <gtest/gtest.h>

namespace troupe::program {
namespace {

TEST(BatchReport, IsCompleteWhenTheLastWordSaysSo) {
  BatchReport report;
  report.take("1 done");
  report.take("2 done; finished");
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(report.end());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "2 done; finished\n");
}

TEST(BatchReport, IsNotCompleteWhenTheDoorStoppedForAnotherReason) {
  BatchReport report;
  report.take("out.jsonl: no space left; the job stops here and can be resumed");
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(report.end());
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("no space left"), std::string::npos);
}

TEST(BatchReport, KnowsHowManyRequestsFailed) {
  BatchReport report;
  EXPECT_EQ(report.failed(), 0u);
  report.take("12 done, 3 were done before; finished");
  EXPECT_EQ(report.failed(), 0u);
  report.take("12 done, 10 failed (1 for an id given twice), 3 were done before; finished");
  EXPECT_EQ(report.failed(), 10u);
}

TEST(BatchReport, SaysNothingBeforeThereIsAnythingToSay) {
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(BatchReport().end());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace troupe::program
