#include "troupe/core/nearest_name.h"
#include "troupe/pipeline/flow_line.h"
#include "troupe/pipeline/graph.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe::pipeline {
namespace {

constexpr auto kIn = PortSpec::Direction::in;
constexpr auto kOut = PortSpec::Direction::out;

/// One arrow between two operators, and the wires it could mean.
struct Edge {
  struct Choice {
    const PortSpec* out;
    const PortSpec* in;
  };
  std::size_t from;
  std::size_t to;
  SourceLocation where;
  std::vector<Choice> choices;
  std::string from_port;  // as written; may be empty
  std::string to_port;
};

using EdgeGroup = std::vector<Edge>;  // all edges of one arrow, in one direction

class LineResolver {
 public:
  LineResolver(Graph& graph, Diagnostics& diagnostics) : graph_(graph), diagnostics_(diagnostics) {}

  void resolve(const FlowLine& line) {
    if (!check_names(line)) return;
    std::vector<EdgeGroup> forward;
    std::vector<EdgeGroup> backward;  // from the right end of the line to the left
    for (std::size_t i = 0; i < line.arrows.size(); ++i) {
      const auto& arrow = line.arrows[i];
      forward.push_back(edges(line.groups[i], line.groups[i + 1], arrow));
      backward.insert(backward.begin(), arrow.both_ways
                                            ? edges(line.groups[i + 1], line.groups[i], arrow)
                                            : EdgeGroup{});
    }
    settle(forward);
    settle(backward);
    for (const auto& group : forward)
      add_wires(group);
    for (auto group = backward.rbegin(); group != backward.rend(); ++group)
      add_wires(*group);
  }

 private:
  std::optional<std::size_t> find(const std::string& name) const {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (graph_.nodes[i].name == name) return i;
    return std::nullopt;
  }

  /// Whether every name of the line is an operator's and every port one of it. Operators of a line
  /// that fails are doubtful.
  bool check_names(const FlowLine& line) {
    bool all_known = true;
    for (std::size_t i = 0; i < line.groups.size(); ++i) {
      const bool last = i == line.arrows.size();
      const bool gives = !last || line.arrows[i - 1].both_ways;
      const bool takes = i > 0 || line.arrows[i].both_ways;
      for (const auto& name : line.groups[i])
        all_known = check_name(name, gives, takes) && all_known;
    }
    if (all_known) return true;
    for (const auto& group : line.groups)
      for (const auto& name : group)
        if (const auto node = find(name.op)) graph_.nodes[*node].doubtful = true;
    return false;
  }

  bool check_name(const FlowName& name, bool gives, bool takes) {
    const auto node = find(name.op);
    if (!node) {
      std::vector<std::string> names;
      for (const auto& one : graph_.nodes)
        names.push_back(one.name);
      const auto near = nearest_name(name.op, names);
      diagnostics_.add(name.where, "there is no operator " + in_quotes(name.op),
                       one_of(names) + ", or a table [operators." + name.op + "]",
                       std::string(near));
      if (const auto meant = find(std::string(near))) graph_.nodes[*meant].doubtful = true;
      return false;
    }
    if (!graph_.nodes[*node].known) return false;
    return name.port.empty() || check_port(name, *node, gives, takes);
  }

  bool check_port(const FlowName& name, std::size_t node, bool gives, bool takes) {
    std::vector<std::string> ports;
    for (const auto& port : graph_.nodes[node].ports) {
      const bool usable = port.direction == kOut ? gives : takes;
      if (usable && std::ranges::find(ports, port.name) == ports.end())
        ports.emplace_back(port.name);
    }
    if (std::ranges::find(ports, name.port) != ports.end()) return true;
    const std::string side = gives && takes ? "port " : gives ? "output " : "input ";
    diagnostics_.add(name.where, graph_.title(node) + " has no " + side + in_quotes(name.port),
                     one_of(ports), std::string(nearest_name(name.port, ports)));
    return false;
  }

  EdgeGroup edges(const std::vector<FlowName>& left, const std::vector<FlowName>& right,
                  const FlowArrow& arrow) const {
    EdgeGroup group;
    for (const auto& from : left)
      for (const auto& to : right) {
        Edge edge{*find(from.op), *find(to.op), arrow.where, {}, from.port, to.port};
        edge.choices = choices(edge);
        group.push_back(std::move(edge));
      }
    return group;
  }

  /// The ports that an end of an edge may use. In the middle of a line "tokenizer.requests" names
  /// the port of one side; the other side has none of that name and stays free.
  std::vector<const PortSpec*> ports(std::size_t node, std::string_view written,
                                     PortSpec::Direction direction) const {
    std::vector<const PortSpec*> all;
    std::vector<const PortSpec*> named;
    for (const auto& port : graph_.nodes[node].ports) {
      if (port.direction != direction) continue;
      all.push_back(&port);
      if (port.name == written) named.push_back(&port);
    }
    return named.empty() ? all : named;
  }

  std::vector<Edge::Choice> choices(const Edge& edge) const {
    std::vector<Edge::Choice> found;
    for (const auto* out : ports(edge.from, edge.from_port, kOut))
      for (const auto* in : ports(edge.to, edge.to_port, kIn))
        if (out->message == in->message) found.push_back({out, in});
    return found;
  }

  bool passes_on(std::size_t node) const {
    const auto kind = graph_.nodes[node].kind;
    return kind == OperatorKind::stage || kind == OperatorKind::router;
  }

  /// Removes the choices that a stage or router between two arrows rules out, because what goes in
  /// comes out again. Choices only ever become fewer, so it ends.
  void settle(std::vector<EdgeGroup>& groups) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
        changed = narrow(groups[i], groups[i + 1], &Edge::to, &Edge::from) || changed;
        changed = narrow(groups[i + 1], groups[i], &Edge::from, &Edge::to) || changed;
      }
    }
  }

  /// Narrows the edges of `group` by what the edges of `neighbours` carry at the operator both
  /// share.
  bool narrow(const EdgeGroup& neighbours, EdgeGroup& group, std::size_t Edge::*near_end,
              std::size_t Edge::*end) const {
    bool changed = false;
    for (auto& edge : group) {
      const auto node = edge.*end;
      if (!passes_on(node) || edge.choices.size() < 2) continue;
      const auto carried = [&](const Edge::Choice& choice) {
        return std::ranges::any_of(neighbours, [&](const Edge& other) {
          return other.*near_end == node &&
                 std::ranges::any_of(other.choices, [&](const Edge::Choice& theirs) {
                   return theirs.out->message == choice.out->message;
                 });
        });
      };
      if (std::ranges::none_of(edge.choices, carried)) continue;
      changed = std::erase_if(edge.choices, std::not_fn(carried)) > 0 || changed;
    }
    return changed;
  }

  void add_wires(const EdgeGroup& group) {
    for (const auto& edge : group)
      add_wire(edge);
  }

  void add_wire(const Edge& edge) {
    if (edge.from == edge.to)
      return refuse(edge, "an arrow joins " + name(edge.from) + " to itself", "two operators");
    if (edge.choices.empty()) return refuse_none(edge);
    if (edge.choices.size() > 1) return refuse_several(edge);
    const auto& choice = edge.choices.front();
    Wire wire{{edge.from, std::string(choice.out->name)},
              {edge.to, std::string(choice.in->name)},
              choice.out->message,
              edge.where};
    for (const auto& known : graph_.wires)
      if (known.from == wire.from && known.to == wire.to)
        return refuse(edge, "the wire " + text(edge, choice) + " is given twice",
                      "it once; the first is at " + known.where.text());
    graph_.wires.push_back(std::move(wire));
  }

  void refuse_none(const Edge& edge) {
    refuse(
        edge,
        "nothing that " + graph_.title(edge.from) + " gives is taken by " + graph_.title(edge.to),
        "an output and an input of one message type: " + name(edge.from) + " gives " +
            port_list(edge.from, kOut) + "; " + name(edge.to) + " takes " +
            port_list(edge.to, kIn));
  }

  void refuse_several(const Edge& edge) {
    std::string list;
    for (const auto& choice : edge.choices)
      list += (list.empty() ? "" : ", ") + text(edge, choice) + " (" +
              std::string(to_string(choice.out->message)) + ")";
    refuse(edge, name(edge.from) + " -> " + name(edge.to) + " could be any of " + list,
           "the port with the name, such as \"" + text(edge, edge.choices.front()) + "\"");
  }

  void refuse(const Edge& edge, std::string found, std::string expected) {
    graph_.nodes[edge.from].doubtful = true;
    graph_.nodes[edge.to].doubtful = true;
    diagnostics_.add(edge.where, std::move(found), std::move(expected));
  }

  const std::string& name(std::size_t node) const { return graph_.nodes[node].name; }

  std::string text(const Edge& edge, const Edge::Choice& choice) const {
    return name(edge.from) + "." + std::string(choice.out->name) + " -> " + name(edge.to) + "." +
           std::string(choice.in->name);
  }

  std::string port_list(std::size_t node, PortSpec::Direction direction) const {
    std::vector<std::string> list;
    for (const auto* port : ports(node, "", direction))
      list.push_back(std::string(port->name) + " (" + std::string(to_string(port->message)) + ")");
    return join_names(list);
  }

  Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace

void resolve_wires(std::span<const GivenFlow> flow, Graph& graph, Diagnostics& diagnostics) {
  LineResolver resolver(graph, diagnostics);
  for (const auto& given : flow) {
    if (const auto line = parse_flow_line(given.text, given.where, diagnostics)) {
      resolver.resolve(*line);
    } else {
      // Nobody knows what the line was to join, so no operator can be told that a wire is missing.
      for (auto& node : graph.nodes)
        node.doubtful = true;
    }
  }
}

}  // namespace troupe::pipeline
