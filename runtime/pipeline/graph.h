#pragma once
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/given_values.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace troupe::pipeline {

/// An operator as the wiring sees it.
struct GraphNode {
  std::string name;
  bool known = false;  // whether its kind is valid; without it nothing is said about its wires
  OperatorKind kind{};
  std::span<const PortSpec> ports;
  SourceLocation where;
  bool doubtful = false;  // a wire of it could not be made out, so missing ones are no news
};

/// Operators and wires while they are checked.
struct Graph {
  std::vector<GraphNode> nodes;  // in the order of PipelineSpec::operators
  std::vector<Wire> wires;
  SourceLocation where;  // of [pipeline]

  std::vector<std::size_t> targets(std::size_t from, MessageType message) const;
  std::vector<std::size_t> sources(std::size_t to, MessageType message) const;
  bool has_wire(std::size_t node, std::string_view port, PortSpec::Direction direction) const;
  /// "stage 'guard'".
  std::string title(std::size_t node) const;
};

/// Makes out which ports each arrow of `flow` joins and adds the wires. An arrow is resolved by the
/// message type both sides share; a stage or router passes on what it was sent, so an arrow that
/// could carry several messages carries the one of its neighbours in the line.
void resolve_wires(std::span<const GivenFlow> flow, Graph& graph, Diagnostics& diagnostics);

/// Checks every port: wired if required, not wired twice unless it may be.
void check_ports(const Graph& graph, Diagnostics& diagnostics);

/// Checks where the wires lead: no circle but the token loops, every operator reached from an
/// ingress, every answer back at the ingress of its request, by one way only.
/// Pre: check_ports found nothing.
void check_paths(const Graph& graph, Diagnostics& diagnostics);

/// The token loop of every scheduler, each with operators of its own. Pre: check_ports found
/// nothing.
std::vector<TokenLoop> find_token_loops(const Graph& graph, Diagnostics& diagnostics);

}  // namespace troupe::pipeline
