#include "precision_limits.h"

#include <gtest/gtest.h>

namespace troupe::golden {
namespace {

TEST(PrecisionLimits, MoreExactActivationsHaveNarrowerLimits) {
  const auto f32 = limits_for("f32"), two = limits_for("int8x2"), bf16 = limits_for("bf16"),
             int8 = limits_for("int8");
  ASSERT_TRUE(f32 && two && bf16 && int8);
  EXPECT_LT(f32->mean_kl, two->mean_kl);
  EXPECT_LT(two->mean_kl, bf16->mean_kl);
  EXPECT_LT(bf16->mean_kl, int8->mean_kl);
  EXPECT_EQ(f32->top1_agreement, 1.0);
  EXPECT_GT(bf16->top1_agreement, int8->top1_agreement);
}

TEST(PrecisionLimits, AnUnknownNameHasNone) {
  EXPECT_FALSE(limits_for("fp4"));
}

}  // namespace
}  // namespace troupe::golden
