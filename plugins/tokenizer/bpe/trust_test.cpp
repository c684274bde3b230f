#include "trust.h"

#include <gtest/gtest.h>

namespace troupe::bpe {
namespace {

TEST(Trust, EndsWhereAPieceOfOtherTrustBegins) {
  Trust trust;
  trust.append(3, true);
  trust.append(2, false);
  trust.append(4, true);
  EXPECT_EQ(trust.end_of_stretch(0), 3u);
  EXPECT_EQ(trust.end_of_stretch(2), 3u);
  EXPECT_EQ(trust.end_of_stretch(3), 3u);
  EXPECT_EQ(trust.end_of_stretch(4), 4u);
  EXPECT_EQ(trust.end_of_stretch(5), 9u);
  EXPECT_EQ(trust.end_of_stretch(9), 9u);
}

TEST(Trust, JoinsNeighboursOfEqualTrust) {
  Trust trust;
  trust.append(1, true);
  trust.append(0, false);
  trust.append(1, true);
  EXPECT_EQ(trust.end_of_stretch(0), 2u);
}

TEST(Trust, OfNothingIsNothing) {
  EXPECT_EQ(Trust().end_of_stretch(0), 0u);
  EXPECT_EQ(Trust().end_of_stretch(7), 7u);
}

}  // namespace
}  // namespace troupe::bpe
