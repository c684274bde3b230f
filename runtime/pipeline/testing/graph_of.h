#pragma once
#include "troupe/pipeline/graph.h"

#include <string>
#include <utility>
#include <vector>

namespace troupe::pipeline::testing {

/// A graph of operators called "kind" or "name:kind", with the ports of their kinds, and the wires
/// of the lines of `flow`. Operator i stands in line i + 1 of "g".
inline Graph graph_of(const std::vector<std::string>& operators,
                      const std::vector<std::string>& flow, Diagnostics& diagnostics) {
  Graph graph;
  graph.where = {"g", 1, 1};
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const auto colon = operators[i].find(':');
    const auto name = operators[i].substr(0, colon);
    const auto kind_name = colon == std::string::npos ? name : operators[i].substr(colon + 1);
    std::size_t kind = 0;
    while (kOperatorKindNames[kind] != kind_name)
      ++kind;
    const auto as_kind = static_cast<OperatorKind>(kind);
    graph.nodes.push_back({name,
                           true,
                           as_kind,
                           ports_of(as_kind),
                           {"g", static_cast<std::uint32_t>(i + 1), 1},
                           false});
  }
  std::vector<GivenFlow> lines;
  for (const auto& line : flow)
    lines.push_back({line, {"flow", static_cast<std::uint32_t>(lines.size() + 1), 1}});
  resolve_wires(lines, graph, diagnostics);
  return graph;
}

inline std::vector<std::string> wire_texts(const Graph& graph) {
  std::vector<std::string> texts;
  for (const auto& wire : graph.wires)
    texts.push_back(graph.nodes[wire.from.op].name + "." + wire.from.port + " -> " +
                    graph.nodes[wire.to.op].name + "." + wire.to.port);
  return texts;
}

inline std::string message_of(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "" : diagnostics.to_error().message();
}

}  // namespace troupe::pipeline::testing
