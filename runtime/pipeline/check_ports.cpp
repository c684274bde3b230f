#include "troupe/pipeline/graph.h"

#include <algorithm>
#include <optional>

namespace troupe::pipeline {
namespace {

constexpr auto kIn = PortSpec::Direction::in;
constexpr auto kOut = PortSpec::Direction::out;

class PortChecker {
 public:
  PortChecker(const Graph& graph, Diagnostics& diagnostics)
      : graph_(graph), diagnostics_(diagnostics) {}

  void check(std::size_t node) {
    const auto& op = graph_.nodes[node];
    if (!op.known) return;
    if (!op.doubtful && !has_any_wire(node)) {
      diagnostics_.add(op.where, graph_.title(node) + " is in no line of 'flow'",
                       "to be wired, or its table to be removed");
      return;
    }
    for (const auto& port : op.ports) {
      if (!op.doubtful && port.required && !graph_.has_wire(node, port.name, port.direction))
        report_missing(node, port, "");
      if (!port.many) check_single(node, port);
    }
    if (!op.doubtful) check_pairs(node);
  }

 private:
  bool has_any_wire(std::size_t node) const {
    return std::ranges::any_of(
        graph_.wires, [&](const Wire& wire) { return wire.from.op == node || wire.to.op == node; });
  }

  static const PortRef& end_of(const Wire& wire, PortSpec::Direction direction) {
    return direction == kOut ? wire.from : wire.to;
  }

  static std::string port_title(const PortSpec& port) {
    return (port.direction == kOut ? "output " : "input ") + in_quotes(port.name) + " (" +
           std::string(to_string(port.message)) + ")";
  }

  /// Operators that could be at the other end of a wire of that port.
  std::vector<std::string> partners(std::size_t node, const PortSpec& port) const {
    std::vector<std::string> names;
    for (std::size_t other = 0; other < graph_.nodes.size(); ++other) {
      if (other == node) continue;
      const bool fits = std::ranges::any_of(graph_.nodes[other].ports, [&](const PortSpec& theirs) {
        return theirs.message == port.message && theirs.direction != port.direction;
      });
      if (fits) names.push_back(graph_.nodes[other].name);
    }
    return names;
  }

  /// Whether an operator at the other end will be told that the wire is missing.
  bool partner_misses(std::size_t node, const PortSpec& port) const {
    for (std::size_t other = 0; other < graph_.nodes.size(); ++other)
      for (const auto& theirs : graph_.nodes[other].ports)
        if (other != node && !graph_.nodes[other].doubtful && theirs.required &&
            theirs.message == port.message && theirs.direction == kOut && has_any_wire(other) &&
            !graph_.has_wire(other, theirs.name, kOut))
          return true;
    return false;
  }

  void report_missing(std::size_t node, const PortSpec& port, const std::string& because) {
    if (port.direction == kIn && partner_misses(node, port)) return;
    const auto& name = graph_.nodes[node].name;
    const auto others = partners(node, port);
    const bool out = port.direction == kOut;
    std::string expected =
        out ? "a wire to an operator that takes it" : "a wire from an operator that gives it";
    if (!others.empty())
      expected = out ? "a wire such as \"" + name + " -> " + others.front() + "\""
                     : "a wire such as \"" + others.front() + " -> " + name + "\"";
    diagnostics_.add(graph_.nodes[node].where,
                     port_title(port) + " of " + graph_.title(node) + " is not wired" + because,
                     expected);
  }

  void check_single(std::size_t node, const PortSpec& port) {
    const Wire* first = nullptr;
    for (const auto& wire : graph_.wires) {
      const auto& end = end_of(wire, port.direction);
      if (end.op != node || end.port != port.name) continue;
      if (first)
        report_second(node, port, *first, wire);
      else
        first = &wire;
    }
  }

  void report_second(std::size_t node, const PortSpec& port, const Wire& first,
                     const Wire& second) {
    const auto other_direction = port.direction == kOut ? kIn : kOut;
    const auto& one = graph_.nodes[end_of(first, other_direction).op].name;
    const auto& two = graph_.nodes[end_of(second, other_direction).op].name;
    const bool out = port.direction == kOut;
    std::string expected = "one wire only";
    if (port.message == MessageType::request && out)
      expected += ": a router between them chooses where each request goes";
    else if (!out)
      expected += ": " + two + " needs a " + std::string(to_string(graph_.nodes[node].kind)) +
                  " of its own";
    diagnostics_.add(second.where,
                     port_title(port) + " of " + graph_.title(node) + " has a second wire, " +
                         (out ? "to " : "from ") + in_quotes(two) + " besides " + in_quotes(one),
                     std::move(expected));
  }

  /// What must be wired because its counterpart is.
  void check_pairs(std::size_t node) {
    const auto& op = graph_.nodes[node];
    if (op.kind == OperatorKind::stage || op.kind == OperatorKind::router) {
      check_pair(node, MessageType::request, MessageType::request);
      check_pair(node, MessageType::text_event, MessageType::text_event);
    } else if (op.kind == OperatorKind::scheduler) {
      check_pair(node, MessageType::proposal, MessageType::draft_request);
    }
  }

  const PortSpec* port_of(std::size_t node, MessageType message,
                          PortSpec::Direction direction) const {
    for (const auto& port : graph_.nodes[node].ports)
      if (port.message == message && port.direction == direction) return &port;
    return nullptr;
  }

  void check_pair(std::size_t node, MessageType in_message, MessageType out_message) {
    const auto* in = port_of(node, in_message, kIn);
    const auto* out = port_of(node, out_message, kOut);
    if (!in || !out) return;
    const bool has_in = graph_.has_wire(node, in->name, kIn);
    const bool has_out = graph_.has_wire(node, out->name, kOut);
    if (has_in && !has_out && !out->required)
      report_missing(node, *out, ", but " + port_title(*in) + " is");
    if (has_out && !has_in && !in->required)
      report_missing(node, *in, ", but " + port_title(*out) + " is");
  }

  const Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_ports(const Graph& graph, Diagnostics& diagnostics) {
  PortChecker checker(graph, diagnostics);
  for (std::size_t node = 0; node < graph.nodes.size(); ++node)
    checker.check(node);
}

}  // namespace troupe::pipeline
