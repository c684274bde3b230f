#include "troupe/pipeline/graph_layers.h"

#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

TEST(GraphLayers, PutRequestsToTheRight) {
  const auto spec = testing::load_shipped("chat.toml");
  const auto graph = make_layers(spec);
  for (const auto& wire : spec.wires) {
    const auto from = graph.nodes[wire.from.op].layer;
    const auto to = graph.nodes[wire.to.op].layer;
    EXPECT_EQ(from > to, runs_leftwards(wire.message)) << to_string(wire.message);
  }
}

TEST(GraphLayers, JoinNeighbouringLayersOnly) {
  for (const auto& spec : testing::many_pipelines()) {
    const auto graph = make_layers(spec);
    for (const auto& segment : graph.segments)
      EXPECT_EQ(graph.nodes[segment.left].layer + 1, graph.nodes[segment.right].layer);
  }
}

}  // namespace
}  // namespace troupe::pipeline
