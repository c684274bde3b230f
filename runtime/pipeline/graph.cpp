#include "troupe/pipeline/graph.h"

namespace troupe::pipeline {

std::vector<std::size_t> Graph::targets(std::size_t from, MessageType message) const {
  std::vector<std::size_t> found;
  for (const auto& wire : wires)
    if (wire.from.op == from && wire.message == message) found.push_back(wire.to.op);
  return found;
}

std::vector<std::size_t> Graph::sources(std::size_t to, MessageType message) const {
  std::vector<std::size_t> found;
  for (const auto& wire : wires)
    if (wire.to.op == to && wire.message == message) found.push_back(wire.from.op);
  return found;
}

bool Graph::has_wire(std::size_t node, std::string_view port, PortSpec::Direction direction) const {
  for (const auto& wire : wires) {
    const auto& end = direction == PortSpec::Direction::out ? wire.from : wire.to;
    if (end.op == node && end.port == port) return true;
  }
  return false;
}

std::string Graph::title(std::size_t node) const {
  return std::string(to_string(nodes[node].kind)) + " " + in_quotes(nodes[node].name);
}

}  // namespace troupe::pipeline
