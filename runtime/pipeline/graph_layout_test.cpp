#include "troupe/pipeline/graph_layout.h"

#include "troupe/pipeline/graph_layers.h"
#include "troupe/pipeline/spread.h"
#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

#include <random>

namespace troupe::pipeline {
namespace {

std::vector<PipelineSpec> many_pipelines() {
  std::vector<PipelineSpec> specs;
  for (const auto& file : testing::kShippedPipelines)
    specs.push_back(testing::load_shipped(file));
  for (std::uint32_t seed = 0; seed < 80; ++seed)
    specs.push_back(testing::load_text(testing::random_pipeline(seed)));
  return specs;
}

bool inside(const Point& point, const Rect& rect) {
  return point.x > rect.x && point.x < rect.x + rect.width && point.y > rect.y &&
         point.y < rect.y + rect.height;
}

TEST(GraphLayout, KeepsBoxesApartAndInThePicture) {
  for (const auto& spec : many_pipelines()) {
    const auto layout = lay_out_graph(spec);
    const Rect picture{0, 0, layout.width, layout.height};
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
      const auto& box = layout.boxes[i];
      EXPECT_TRUE(inside({box.x, box.y}, picture));
      EXPECT_TRUE(inside({box.x + box.width, box.y + box.height}, picture));
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_FALSE(box.overlaps(layout.boxes[j]))
            << spec.name << ": " << spec.operators[i].name << ", " << spec.operators[j].name;
    }
  }
}

TEST(GraphLayout, PutsNoLabelOnABox) {
  for (const auto& spec : many_pipelines()) {
    const auto layout = lay_out_graph(spec);
    for (const auto& label : layout.labels)
      for (const auto& box : layout.boxes)
        EXPECT_FALSE(label.overlaps(box));
  }
}

TEST(GraphLayout, LeadsEveryWireFromTheEdgeOfItsOutputToTheEdgeOfItsInput) {
  for (const auto& spec : many_pipelines()) {
    const auto layout = lay_out_graph(spec);
    for (std::size_t i = 0; i < spec.wires.size(); ++i) {
      const auto& path = layout.paths[i];
      ASSERT_GE(path.size(), 2u);
      ASSERT_EQ(path.size() % 2, 0u);
      const auto& from = layout.boxes[spec.wires[i].from.op];
      const auto& to = layout.boxes[spec.wires[i].to.op];
      EXPECT_TRUE(path.front().x == from.x || path.front().x == from.x + from.width);
      EXPECT_TRUE(path.back().x == to.x || path.back().x == to.x + to.width);
      EXPECT_TRUE(path.back().y > to.y && path.back().y < to.y + to.height);
    }
  }
}

TEST(GraphLayout, LeadsNoWireThroughABox) {
  for (const auto& spec : many_pipelines()) {
    const auto layout = lay_out_graph(spec);
    for (const auto& path : layout.paths)
      for (std::size_t i = 1; i + 1 < path.size(); ++i)
        for (const auto& box : layout.boxes)
          EXPECT_FALSE(inside({(path[i].x + path[i + 1].x) / 2, path[i].y}, box) && i % 2 == 1);
  }
}

TEST(GraphLayout, DrawsARegionAroundEachTokenLoopOfTheShippedPipelines) {
  for (const auto& file : testing::kShippedPipelines) {
    const auto layout = lay_out_graph(testing::load_shipped(file));
    for (std::size_t i = 0; i < layout.regions.size(); ++i) {
      EXPECT_GT(layout.regions[i].width, 0) << file;
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_FALSE(layout.regions[i].overlaps(layout.regions[j])) << file;
    }
  }
}

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
  for (const auto& spec : many_pipelines()) {
    const auto graph = make_layers(spec);
    for (const auto& segment : graph.segments)
      EXPECT_EQ(graph.nodes[segment.left].layer + 1, graph.nodes[segment.right].layer);
  }
}

TEST(Spread, KeepsWishesThatLeaveEnoughRoom) {
  EXPECT_EQ(spread({0, 10, 30}, {1, 1, 1}, {5, 5}), (std::vector<double>{0, 10, 30}));
  EXPECT_EQ(spread({}, {}, {}), std::vector<double>{});
}

TEST(Spread, ParesApartAroundTheWeightedMean) {
  EXPECT_EQ(spread({10, 10}, {1, 1}, {4}), (std::vector<double>{8, 12}));
  EXPECT_EQ(spread({10, 10}, {3, 1}, {4}), (std::vector<double>{9, 13}));
}

TEST(Spread, AlwaysKeepsOrderAndDistance) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> wanted, weight, distance;
    for (unsigned i = 0; i < 1 + random() % 12; ++i) {
      wanted.push_back(static_cast<double>(random() % 100));
      weight.push_back(1 + static_cast<double>(random() % 3));
    }
    for (std::size_t i = 1; i < wanted.size(); ++i)
      distance.push_back(static_cast<double>(random() % 20));
    const auto placed = spread(wanted, weight, distance);
    for (std::size_t i = 1; i < placed.size(); ++i)
      EXPECT_GE(placed[i] - placed[i - 1], distance[i - 1] - 1e-9);
  }
}

}  // namespace
}  // namespace troupe::pipeline
