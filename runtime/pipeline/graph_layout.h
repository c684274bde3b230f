#pragma once
#include "troupe/pipeline/pipeline_spec.h"

#include <cstddef>
#include <vector>

namespace troupe::pipeline {

struct Point {
  double x = 0;
  double y = 0;
};

struct Rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  bool overlaps(const Rect& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
};

/// Where the parts of a pipeline's picture go, in pixels.
struct GraphLayout {
  double width = 0;
  double height = 0;
  std::vector<Rect> boxes;  // one per operator
  /// One per wire: the points it passes from its output to its input, at least two. Between an even
  /// point and the next it bends; between an odd one and the next it runs level past a layer.
  std::vector<std::vector<Point>> paths;
  std::vector<Rect> labels;   // one per wire; none overlaps a box
  std::vector<Rect> regions;  // one per token loop; of width 0 where other operators lie between
};

/// Puts each label on a bend of its wire, where it hides no other label if there is such a place.
/// Pre: the paths of all wires are known.
void place_labels(const PipelineSpec& spec, GraphLayout& layout);

/// Lays a pipeline out from left to right in layers: requests run to the right, answers to the
/// left. Boxes never overlap. Deterministic. Pre: the spec was checked.
GraphLayout lay_out_graph(const PipelineSpec& spec);

}  // namespace troupe::pipeline
