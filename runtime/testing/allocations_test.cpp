#include "troupe/testing/allocations.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>

namespace troupe::testing {
namespace {

/// Through a pointer that the compiler cannot see through: it may leave out a new that it can.
std::unique_ptr<int> (*volatile make_int)() = [] { return std::make_unique<int>(1); };

TEST(Allocations, AreCounted) {
  const auto before = num_allocations();
  const auto one = make_int();
  EXPECT_EQ(num_allocations(), before + 1);
}

TEST(Allocations, TheNthFailsAndNoOther) {
  const FailingAllocation failing(2);
  const auto first = make_int();
  EXPECT_FALSE(failing.fired());
  EXPECT_THROW(make_int(), std::bad_alloc);
  EXPECT_TRUE(failing.fired());
  EXPECT_NO_THROW(make_int());
}

}  // namespace
}  // namespace troupe::testing
