#include "troupe/pipeline/graph_layers.h"

#include <algorithm>
#include <map>
#include <utility>

namespace troupe::pipeline {
namespace {

using Edge = std::pair<std::size_t, std::size_t>;  // left, right

bool leads(const std::vector<Edge>& edges, std::size_t from, std::size_t to) {
  std::vector<std::size_t> open = {from};
  std::vector<std::size_t> seen;
  while (!open.empty()) {
    const auto node = open.back();
    open.pop_back();
    if (node == to) return true;
    if (std::ranges::count(seen, node) > 0) continue;
    seen.push_back(node);
    for (const auto& [left, right] : edges)
      if (left == node) open.push_back(right);
  }
  return false;
}

Edge left_to_right(const Wire& wire) {
  if (runs_leftwards(wire.message)) return {wire.to.op, wire.from.op};
  return {wire.from.op, wire.to.op};
}

/// What must be left of what. Answers may pass stages in the order in which requests do; an answer
/// that would make a circle is left out.
std::vector<Edge> precedence(const PipelineSpec& spec) {
  std::vector<Edge> edges;
  for (const bool leftwards : {false, true})
    for (const auto& wire : spec.wires) {
      if (runs_leftwards(wire.message) != leftwards) continue;
      const auto edge = left_to_right(wire);
      if (!leads(edges, edge.second, edge.first)) edges.push_back(edge);
    }
  return edges;
}

std::vector<std::size_t> longest_ways(std::size_t size, const std::vector<Edge>& edges) {
  std::vector<std::size_t> layer(size, 0);
  for (std::size_t round = 0; round < size; ++round)
    for (const auto& [left, right] : edges)
      layer[right] = std::max(layer[right], layer[left] + 1);
  return layer;
}

/// Adds the segments of a wire, with a node in each layer between its ends.
void add_segments(LayeredGraph& graph, std::size_t wire, Edge ends) {
  if (graph.nodes[ends.first].layer > graph.nodes[ends.second].layer)
    std::swap(ends.first, ends.second);
  auto left = ends.first;
  for (auto layer = graph.nodes[left].layer + 1; layer < graph.nodes[ends.second].layer; ++layer) {
    graph.nodes.push_back({LayeredGraph::kNoOperator, layer});
    graph.segments.push_back({left, graph.nodes.size() - 1, wire});
    left = graph.nodes.size() - 1;
  }
  graph.segments.push_back({left, ends.second, wire});
}

std::vector<double> positions(const LayeredGraph& graph) {
  std::vector<double> position(graph.nodes.size(), 0);
  for (const auto& layer : graph.layers)
    for (std::size_t i = 0; i < layer.size(); ++i)
      position[layer[i]] = static_cast<double>(i) - static_cast<double>(layer.size()) / 2;
  return position;
}

std::size_t crossings(const LayeredGraph& graph) {
  const auto position = positions(graph);
  std::size_t count = 0;
  for (const auto& a : graph.segments)
    for (const auto& b : graph.segments)
      if (graph.nodes[a.left].layer == graph.nodes[b.left].layer &&
          position[a.left] < position[b.left] && position[a.right] > position[b.right])
        ++count;
  return count;
}

/// Sorts a layer by the mean position of its neighbours on one side.
void sort_layer(LayeredGraph& graph, std::size_t layer, bool by_left) {
  const auto position = positions(graph);
  std::map<std::size_t, double> mean;
  for (const auto node : graph.layers[layer]) {
    double sum = 0;
    int count = 0;
    for (const auto& segment : graph.segments) {
      if ((by_left ? segment.right : segment.left) != node) continue;
      sum += position[by_left ? segment.left : segment.right];
      ++count;
    }
    mean[node] = count > 0 ? sum / count : position[node];
  }
  std::stable_sort(graph.layers[layer].begin(), graph.layers[layer].end(),
                   [&](auto a, auto b) { return mean[a] < mean[b]; });
}

void order_layers(LayeredGraph& graph) {
  auto best = graph.layers;
  auto best_crossings = crossings(graph);
  for (int round = 0; round < 12 && best_crossings > 0; ++round) {
    for (std::size_t i = 1; i < graph.layers.size(); ++i)
      sort_layer(graph, i, true);
    for (std::size_t i = graph.layers.size() - 1; i-- > 0;)
      sort_layer(graph, i, false);
    const auto now = crossings(graph);
    if (now < best_crossings) {
      best = graph.layers;
      best_crossings = now;
    }
  }
  graph.layers = std::move(best);
}

}  // namespace

bool runs_leftwards(MessageType message) {
  switch (message) {
    case MessageType::token_event:
    case MessageType::text_event:
    case MessageType::block_grant:
    case MessageType::sampled_tokens:
    case MessageType::proposal:
      return true;
    default:
      return false;
  }
}

LayeredGraph make_layers(const PipelineSpec& spec) {
  LayeredGraph graph;
  const auto layer = longest_ways(spec.operators.size(), precedence(spec));
  for (std::size_t i = 0; i < spec.operators.size(); ++i)
    graph.nodes.push_back({i, layer[i]});
  for (std::size_t i = 0; i < spec.wires.size(); ++i)
    add_segments(graph, i, left_to_right(spec.wires[i]));
  std::size_t last = 0;
  for (const auto& node : graph.nodes)
    last = std::max(last, node.layer);
  graph.layers.resize(last + 1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    graph.layers[graph.nodes[i].layer].push_back(i);
  order_layers(graph);
  return graph;
}

}  // namespace troupe::pipeline
