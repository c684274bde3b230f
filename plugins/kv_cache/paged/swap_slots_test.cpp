#include "swap_slots.h"

#include "troupe/api/check.h"

#include <gtest/gtest.h>

namespace troupe::paged {
namespace {

TEST(SwapSlots, HostSlotsComeFirstAndAreTakenAgainFirst) {
  SwapSlots slots;
  slots.reset(2, 2);
  EXPECT_EQ(slots.take(), 0u);
  EXPECT_EQ(slots.take(), 1u);
  EXPECT_EQ(slots.take(), 2u);
  slots.release(1);
  EXPECT_EQ(slots.take(), 1u);
  EXPECT_EQ(slots.take(), 3u);
  EXPECT_EQ(slots.num_free(), 0u);
  EXPECT_THROW(slots.take(), CheckFailure);
}

TEST(SwapSlots, ASlotIsReleasedOnce) {
  SwapSlots slots;
  slots.reset(1, 1);
  static_cast<void>(slots.take());
  slots.release(0);
  EXPECT_THROW(slots.release(0), CheckFailure);
  EXPECT_THROW(slots.release(2), CheckFailure);
  EXPECT_EQ(slots.num_used(), 0u);
}

TEST(SwapSlots, ItsCheckNamesTheSlotThatDoesNotAddUp) {
  SwapSlots slots;
  slots.reset(1, 1);
  static_cast<void>(slots.take());
  EXPECT_TRUE(slots.check({1, 0}));
  EXPECT_EQ(slots.check({1, 1}).error().message(),
            "swap slot 1: free in the books, 1 sequences have it");
  EXPECT_FALSE(slots.check({2, 0}));
}

TEST(SwapSlots, WithoutTiersThereAreNone) {
  SwapSlots slots;
  slots.reset(0, 0);
  EXPECT_EQ(slots.size(), 0u);
  EXPECT_TRUE(slots.check({}));
}

}  // namespace
}  // namespace troupe::paged
