#include "troupe/pipeline/graph_layout.h"
#include "troupe/pipeline/picture_metrics.h"

#include <algorithm>

namespace troupe::pipeline {
namespace {

/// The middle of a bend, at `t` of its way.
Point bend_at(const Point& from, const Point& to, double t) {
  // A cubic with level ends: x runs evenly enough, y follows the smooth step.
  const double ease = t * t * (3 - 2 * t);
  const double x = 1.5 * t * (1 - t) * (1 - t) + 1.5 * t * t * (1 - t) + t * t * t;
  return {from.x + (to.x - from.x) * x, from.y + (to.y - from.y) * ease};
}

}  // namespace

void place_labels(const PipelineSpec& spec, GraphLayout& layout) {
  for (std::size_t wire = 0; wire < spec.wires.size(); ++wire) {
    const double width = label_width(spec.wires[wire]);
    const auto& path = layout.paths[wire];
    std::vector<Rect> places;
    for (const double t : {0.5, 0.42, 0.58, 0.34, 0.66})
      for (std::size_t i = 0; i + 1 < path.size(); i += 2) {
        const auto at = bend_at(path[i], path[i + 1], t);
        places.push_back({at.x - width / 2, at.y - kLabelHeight / 2, width, kLabelHeight});
      }
    const auto free = std::ranges::find_if(places, [&](const Rect& place) {
      return std::ranges::none_of(layout.labels,
                                  [&](const Rect& other) { return place.overlaps(other); });
    });
    layout.labels.push_back(free == places.end() ? places.front() : *free);
  }
}

}  // namespace troupe::pipeline
