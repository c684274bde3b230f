#include "kernels/matmul/chunks.h"

#include <gtest/gtest.h>

namespace troupe::kernels {
namespace {

TEST(Chunks, CoverEveryUnitOnceAndInOrder) {
  for (const std::int64_t workers : {1, 2, 3, 7, 64})
    for (const std::int64_t smallest : {2, 3, 50})
      for (std::int64_t units = 0; units < 400; ++units) {
        const Chunks chunks(units, smallest, workers);
        std::int64_t next = 0;
        for (std::int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
          const auto [begin, end] = chunks.range(chunk);
          ASSERT_EQ(begin, next);
          ASSERT_LT(begin, end);
          next = end;
        }
        ASSERT_EQ(next, units);
      }
}

TEST(Chunks, GetSmallerTowardsTheEnd) {
  const Chunks chunks(1000, 2, 2);
  std::int64_t previous = 1000;
  for (std::int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
    const auto [begin, end] = chunks.range(chunk);
    EXPECT_LE(end - begin, previous);
    previous = end - begin;
  }
  EXPECT_EQ(previous, 2);
  EXPECT_LE(chunks.count(), 14);
}

TEST(Chunks, AreOneForASingleWorker) {
  EXPECT_EQ(Chunks(77, 2, 1).count(), 1);
}

}  // namespace
}  // namespace troupe::kernels
