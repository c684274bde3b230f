#include "troupe/pipeline/graph.h"

#include <algorithm>
#include <set>

namespace troupe::pipeline {
namespace {

using Nodes = std::set<std::size_t>;
using Messages = std::vector<MessageType>;

const Messages kRequestPath = {MessageType::request, MessageType::tokenized_request};
const Messages kEventPath = {MessageType::token_event, MessageType::text_event};

class PathChecker {
 public:
  PathChecker(const Graph& graph, Diagnostics& diagnostics)
      : graph_(graph), diagnostics_(diagnostics) {}

  void check() {
    const auto before = diagnostics_.size();
    check_circles(MessageType::request);
    check_circles(MessageType::text_event);
    check_reached();
    if (diagnostics_.size() != before) return;
    for (const auto scheduler : of_kind(OperatorKind::scheduler)) {
      check_tokenizer(scheduler);
      check_answers(scheduler);
    }
    check_single_way();
  }

 private:
  Nodes of_kind(OperatorKind kind) const {
    Nodes found;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (graph_.nodes[i].kind == kind) found.insert(i);
    return found;
  }

  const std::string& name(std::size_t node) const { return graph_.nodes[node].name; }

  std::string names(const Nodes& nodes) const {
    std::vector<std::string> list;
    for (const auto node : nodes)
      list.push_back(name(node));
    return join_names(list);
  }

  /// What wires of these messages lead to from `start`, itself included.
  Nodes reached(Nodes start, const Messages& messages) const {
    std::vector<std::size_t> open(start.begin(), start.end());
    while (!open.empty()) {
      const auto node = open.back();
      open.pop_back();
      for (const auto message : messages)
        for (const auto next : graph_.targets(node, message))
          if (start.insert(next).second) open.push_back(next);
    }
    return start;
  }

  Nodes only(const Nodes& nodes, OperatorKind kind) const {
    Nodes found;
    for (const auto node : nodes)
      if (graph_.nodes[node].kind == kind) found.insert(node);
    return found;
  }

  /// Follows wires of one message depth first; a wire back to where the walk came from is a circle.
  void check_circles(MessageType message) {
    Nodes done;
    std::vector<std::size_t> path;
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
      walk(node, message, path, done);
  }

  void walk(std::size_t node, MessageType message, std::vector<std::size_t>& path, Nodes& done) {
    if (done.contains(node)) return;
    path.push_back(node);
    for (const auto& wire : graph_.wires) {
      if (wire.from.op != node || wire.message != message) continue;
      const auto seen = std::ranges::find(path, wire.to.op);
      if (seen == path.end())
        walk(wire.to.op, message, path, done);
      else
        report_circle({seen, path.end()}, wire);
    }
    path.pop_back();
    done.insert(node);
  }

  void report_circle(const std::vector<std::size_t>& circle, const Wire& closing) {
    std::string text;
    for (const auto node : circle)
      text += name(node) + " -> ";
    diagnostics_.add(closing.where,
                     std::string(to_string(closing.message)) + " goes round in a circle: " + text +
                         name(circle.front()),
                     "a way that ends; only the token loop of a scheduler is a circle");
  }

  void check_reached() {
    const auto doors = of_kind(OperatorKind::ingress);
    Messages all;
    for (const auto& wire : graph_.wires)
      if (std::ranges::find(all, wire.message) == all.end()) all.push_back(wire.message);
    const auto found = reached(doors, all);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (!found.contains(i))
        diagnostics_.add(graph_.nodes[i].where, graph_.title(i) + " is reached by no request",
                         "a way to it from " + names(doors));
  }

  /// Whoever turns a scheduler's ids into text must be who turned the text into ids.
  void check_tokenizer(std::size_t scheduler) {
    const auto feeding = graph_.sources(scheduler, MessageType::tokenized_request);
    for (const auto& wire : graph_.wires) {
      if (wire.from.op != scheduler || wire.message != MessageType::token_event) continue;
      if (std::ranges::find(feeding, wire.to.op) != feeding.end()) continue;
      diagnostics_.add(wire.where,
                       graph_.title(scheduler) + " sends its tokens to " +
                           graph_.title(wire.to.op) + ", which sends it no requests",
                       "the tokenizer that does: " + names({feeding.begin(), feeding.end()}));
    }
  }

  void check_answers(std::size_t scheduler) {
    const auto answered = only(reached({scheduler}, kEventPath), OperatorKind::ingress);
    for (const auto door : of_kind(OperatorKind::ingress)) {
      const bool asks = reached({door}, kRequestPath).contains(scheduler);
      if (asks && !answered.contains(door))
        diagnostics_.add(graph_.nodes[door].where,
                         "requests of " + graph_.title(door) + " reach " + graph_.title(scheduler) +
                             ", but no answer comes back: its events go to " + names(answered),
                         "a way of events from " + name(scheduler) + " to " + name(door));
      if (!asks && answered.contains(door))
        diagnostics_.add(graph_.nodes[door].where,
                         "events of " + graph_.title(scheduler) + " lead to " + graph_.title(door) +
                             ", which sends it no requests",
                         "events to go only where requests came from");
    }
  }

  /// With two ways to one door, nobody could say which one an event takes.
  void check_single_way() {
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
      Nodes known;
      for (const auto& wire : graph_.wires) {
        if (wire.from.op != node || wire.message != MessageType::text_event) continue;
        for (const auto door : only(reached({wire.to.op}, kEventPath), OperatorKind::ingress))
          if (!known.insert(door).second)
            diagnostics_.add(wire.where,
                             "events from " + in_quotes(name(node)) + " to " +
                                 in_quotes(name(door)) + " have a second way, through " +
                                 in_quotes(name(wire.to.op)),
                             "one way from each operator to each ingress");
      }
    }
  }

  const Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace

void check_paths(const Graph& graph, Diagnostics& diagnostics) {
  PathChecker(graph, diagnostics).check();
}

}  // namespace troupe::pipeline
