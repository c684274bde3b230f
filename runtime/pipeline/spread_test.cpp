#include "troupe/pipeline/spread.h"

#include <gtest/gtest.h>

#include <random>

namespace troupe::pipeline {
namespace {

TEST(Spread, KeepsWishesThatLeaveEnoughRoom) {
  EXPECT_EQ(spread({0, 10, 30}, {1, 1, 1}, {5, 5}), (std::vector<double>{0, 10, 30}));
  EXPECT_EQ(spread({}, {}, {}), std::vector<double>{});
}

TEST(Spread, PartsOverlappingWishesAroundTheWeightedMean) {
  EXPECT_EQ(spread({10, 10}, {1, 1}, {4}), (std::vector<double>{8, 12}));
  EXPECT_EQ(spread({10, 10}, {3, 1}, {4}), (std::vector<double>{9, 13}));
}

TEST(Spread, AlwaysKeepsOrderAndDistance) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> wanted, weight, distance;
    for (unsigned i = 0; i < 1 + random() % 12; ++i) {
      wanted.push_back(static_cast<double>(random() % 100));
      weight.push_back(1 + static_cast<double>(random() % 3));
    }
    for (std::size_t i = 1; i < wanted.size(); ++i)
      distance.push_back(static_cast<double>(random() % 20));
    const auto placed = spread(wanted, weight, distance);
    for (std::size_t i = 1; i < placed.size(); ++i)
      EXPECT_GE(placed[i] - placed[i - 1], distance[i - 1] - 1e-9);
  }
}

}  // namespace
}  // namespace troupe::pipeline
