#include "troupe/model/number_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace troupe::model {
namespace {

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1e-5), "1e-05");
  EXPECT_EQ(number_text(500000), "500000");
  EXPECT_EQ(number_text(1e15), "1e+15");
  EXPECT_EQ(number_text(-1.0 / 3), "-0.3333333333333333");
}

TEST(NumberText, NamesWhatIsNoNumber) {
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

}  // namespace
}  // namespace troupe::model
