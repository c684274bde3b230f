#pragma once
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/source_location.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::pipeline {

/// An operator in a line of `flow`: "guard", or "guard.requests" when a port is meant.
struct FlowName {
  std::string op;
  std::string port;  // may be empty
  SourceLocation where;
};

struct FlowArrow {
  bool both_ways = false;  // "<->"
  SourceLocation where;
};

/// "a, b -> c <-> d": groups of operators with an arrow between each two.
struct FlowLine {
  std::vector<std::vector<FlowName>> groups;
  std::vector<FlowArrow> arrows;  // one less than groups
};

/// Parses a line of `flow`. `quote` is where its opening quote stands; with it locations point into
/// the string (they are off by a few columns when the string has escapes). Nothing when it is no
/// flow line: then there is a diagnostic.
std::optional<FlowLine> parse_flow_line(std::string_view text, const SourceLocation& quote,
                                        Diagnostics& diagnostics);

}  // namespace troupe::pipeline
