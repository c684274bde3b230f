#include "troupe/pipeline/graph_layout.h"

#include "troupe/pipeline/testing/load_text.h"

#include <gtest/gtest.h>

namespace troupe::pipeline {
namespace {

using testing::many_pipelines;

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

}  // namespace
}  // namespace troupe::pipeline
