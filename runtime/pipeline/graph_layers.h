#pragma once
#include "troupe/pipeline/pipeline_spec.h"

#include <cstddef>
#include <limits>
#include <vector>

namespace troupe::pipeline {

/// A pipeline's operators in layers from left to right, with a place kept in every layer that a
/// long wire crosses.
struct LayeredGraph {
  static constexpr std::size_t kNoOperator = std::numeric_limits<std::size_t>::max();

  struct Node {
    std::size_t op = kNoOperator;  // kNoOperator = a wire passes here
    std::size_t layer = 0;
  };
  /// A piece of a wire between neighbouring layers.
  struct Segment {
    std::size_t left = 0;  // node
    std::size_t right = 0;
    std::size_t wire = 0;
  };

  std::vector<Node> nodes;  // the operators first, in their order
  std::vector<Segment> segments;
  std::vector<std::vector<std::size_t>> layers;  // nodes of each layer, from top to bottom
};

/// Whether a wire runs from right to left: answers, grants, tokens.
bool runs_leftwards(MessageType message);

/// Assigns layers by the longest way from the ingresses, then orders each layer so that few wires
/// cross (barycenters; K. Sugiyama et al., 1981).
LayeredGraph make_layers(const PipelineSpec& spec);

}  // namespace troupe::pipeline
