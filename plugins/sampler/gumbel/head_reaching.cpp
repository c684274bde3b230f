#include "head_reaching.h"

#include <algorithm>

namespace troupe::gumbel {
namespace {

/// The middle one of the first, the middle and the last item.
Ranked pivot_of(const std::vector<Ranked>& items) {
  const Ranked& a = items.front();
  const Ranked& b = items[items.size() / 2];
  const Ranked& c = items.back();
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

}  // namespace

Ranked last_reaching(RankedRoom& room, double goal) {
  double mass = 0;  // of all that stands before `items`
  for (;;) {
    const Ranked pivot = pivot_of(room.items);
    room.below.clear();
    room.above.clear();
    double below = 0;
    for (const Ranked& item : room.items) {
      if (item < pivot) {
        room.below.push_back(item);
        below += static_cast<double>(item.weight);
      } else if (pivot < item) {
        room.above.push_back(item);
      }
    }
    if (!room.below.empty() && mass + below >= goal) {
      room.items.swap(room.below);
      continue;
    }
    mass += below + static_cast<double>(pivot.weight);
    if (mass >= goal || room.above.empty()) return pivot;
    room.items.swap(room.above);
  }
}

}  // namespace troupe::gumbel
