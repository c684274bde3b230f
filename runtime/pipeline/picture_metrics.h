#pragma once
#include "troupe/pipeline/pipeline_spec.h"

#include <algorithm>
#include <string>

namespace troupe::pipeline {

// Sizes of the picture's parts, in pixels.
inline constexpr double kMargin = 28;
inline constexpr double kTitleHeight = 40;
inline constexpr double kBoxHeight = 58;
inline constexpr double kBoxGap = 34;     // between boxes of one column
inline constexpr double kSlot = 26;       // between wires at one side of a box
inline constexpr double kArrowRoom = 30;  // beside a label, for bends and arrow heads
inline constexpr double kLabelHeight = 16;
inline constexpr double kRegionPadding = 16;
inline constexpr double kRegionTop = 36;  // above a token loop's boxes, for its caption

/// The second line of a box.
inline std::string box_subtitle(const PipelineOperator& op) {
  auto text = std::string(to_string(op.kind)) + ": " + op.plugin;
  if (op.instances > 1) text += " x " + std::to_string(op.instances);
  return text;
}

// Letters of a sans-serif face have about these widths; the exact face is the viewer's.
inline double box_width(const PipelineOperator& op) {
  return std::max({120.0, 8.6 * static_cast<double>(op.name.size()) + 28,
                   6.4 * static_cast<double>(box_subtitle(op).size()) + 28});
}
inline double label_width(const Wire& wire) {
  return 6.0 * static_cast<double>(to_string(wire.message).size()) + 8;
}

}  // namespace troupe::pipeline
