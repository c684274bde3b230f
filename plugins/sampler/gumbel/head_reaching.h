#pragma once
#include "troupe/api/ids.h"

#include <vector>

namespace troupe::gumbel {

/// A token in an order of its own: the smaller key first, the smaller id on a tie.
struct Ranked {
  float key = 0;
  TokenId token = 0;
  float weight = 0;

  bool operator<(const Ranked& other) const {
    return key < other.key || (key == other.key && token < other.token);
  }
};

/// Room that last_reaching works in.
struct RankedRoom {
  std::vector<Ranked> items;
  std::vector<Ranked> below, above;
  std::vector<double> buckets;  // of the caller
};

/// The last of the smallest set of first items of `room.items` whose weights reach `goal`; at least
/// the first item; the last of all when rounding keeps them below. Nothing is sorted: expected cost
/// O(items). Sums are added in one order, so that every machine finds the same. The items are used
/// up. Pre: there are items.
Ranked last_reaching(RankedRoom& room, double goal);

}  // namespace troupe::gumbel
