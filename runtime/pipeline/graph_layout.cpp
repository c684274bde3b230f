#include "troupe/pipeline/graph_layout.h"

#include "troupe/pipeline/graph_layers.h"
#include "troupe/pipeline/picture_metrics.h"
#include "troupe/pipeline/print_spec.h"
#include "troupe/pipeline/spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace troupe::pipeline {
namespace {

/// Computes the coordinates of a layered graph. Places of nodes are the middles of their heights.
class Placer {
 public:
  explicit Placer(const PipelineSpec& spec) : spec_(spec), graph_(make_layers(spec)) {
    middle_.resize(graph_.nodes.size());
    height_.resize(graph_.nodes.size());
    offsets_.resize(graph_.segments.size());
    loop_.resize(graph_.nodes.size(), spec.loops.size());
    find_loops();
    for (const auto& layer : graph_.layers)
      for (std::size_t i = 0; i < layer.size(); ++i)
        middle_[layer[i]] = static_cast<double>(i) * kBoxHeight * 2;
    assign_slots();
    place_columns();
    place_all();
    separate_loops();
    place_all(true);
    move_to_margin();
  }

  GraphLayout layout() const {
    GraphLayout out;
    out.width = column_x_.back() + column_width_.back() + kMargin;
    for (std::size_t i = 0; i < spec_.operators.size(); ++i)
      out.boxes.push_back(box(i));
    for (std::size_t wire = 0; wire < spec_.wires.size(); ++wire)
      out.paths.push_back(path(wire));
    for (const auto& loop : spec_.loops)
      out.regions.push_back(region(loop, out.boxes));
    for (const auto& rect : out.boxes)
      out.height = std::max(out.height, rect.y + rect.height);
    for (const auto& rect : out.regions) {
      out.width = std::max(out.width, rect.x + rect.width + kMargin);
      out.height = std::max(out.height, rect.y + rect.height);
    }
    for (const auto& path : out.paths)
      for (const auto& point : path)
        out.height = std::max(out.height, point.y);
    out.height += kMargin;
    return out;
  }

 private:
  struct Offsets {
    double left = 0;   // of a segment's left end from the middle of its node
    double right = 0;  // of its right end
  };

  bool is_box(std::size_t node) const { return graph_.nodes[node].op != LayeredGraph::kNoOperator; }

  void find_loops() {
    for (std::size_t i = 0; i < spec_.loops.size(); ++i) {
      const auto& loop = spec_.loops[i];
      for (const auto op : {loop.scheduler, loop.kv_cache, loop.executor, loop.sampler})
        loop_[op] = i;
      if (loop.drafter) loop_[*loop.drafter] = i;
    }
    for (const auto& segment : graph_.segments)
      if (!is_box(segment.right) && is_loop_message(spec_.wires[segment.wire].message))
        loop_[segment.right] = loop_[spec_.wires[segment.wire].from.op];
  }

  /// Segments at one side of a node, from top to bottom by where they lead.
  std::vector<std::size_t> side(std::size_t node, bool right_side) const {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < graph_.segments.size(); ++i)
      if ((right_side ? graph_.segments[i].left : graph_.segments[i].right) == node)
        ends.push_back(i);
    std::stable_sort(ends.begin(), ends.end(),
                     [&](auto a, auto b) { return rank(a, right_side) < rank(b, right_side); });
    return ends;
  }

  std::size_t rank(std::size_t segment, bool right_side) const {
    const auto other = right_side ? graph_.segments[segment].right : graph_.segments[segment].left;
    const auto& layer = graph_.layers[graph_.nodes[other].layer];
    return static_cast<std::size_t>(std::ranges::find(layer, other) - layer.begin());
  }

  void assign_slots() {
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
      std::size_t most = 1;
      for (const bool right_side : {false, true}) {
        const auto ends = side(node, right_side);
        most = std::max(most, ends.size());
        for (std::size_t i = 0; i < ends.size(); ++i) {
          const double offset = (static_cast<double>(i) - (ends.size() - 1) / 2.0) * kSlot;
          (right_side ? offsets_[ends[i]].left : offsets_[ends[i]].right) = offset;
        }
      }
      height_[node] = is_box(node) ? std::max(kBoxHeight, most * kSlot + 16) : kSlot;
    }
  }

  void place_columns() {
    column_width_.assign(graph_.layers.size(), 60);
    std::vector<double> gap(graph_.layers.size(), 0);
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
      if (is_box(node)) {
        auto& width = column_width_[graph_.nodes[node].layer];
        width = std::max(width, box_width(spec_.operators[graph_.nodes[node].op]));
      }
    for (const auto& segment : graph_.segments) {
      auto& width = gap[graph_.nodes[segment.left].layer];
      width = std::max(width, label_width(spec_.wires[segment.wire]) + 2 * kArrowRoom);
    }
    double x = kMargin;
    for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
      column_x_.push_back(x);
      x += column_width_[i] + gap[i];
    }
  }

  double distance(std::size_t above, std::size_t below) const {
    const double apart = loop_[above] != loop_[below] ? kRegionTop + kRegionPadding : kBoxGap;
    const bool boxes = is_box(above) && is_box(below);
    return (height_[above] + height_[below]) / 2 + (boxes ? apart : kBoxGap / 2);
  }

  /// Moves every node to where its wires pull it, until that settles.
  void place_all(bool keep_loops = false) {
    const auto place = [&](std::size_t i) {
      if (!keep_loops || !has_loop(i)) place_layer(i);
    };
    for (int round = 0; round < 40; ++round) {
      for (std::size_t i = 0; i < graph_.layers.size(); ++i)
        place(i);
      for (std::size_t i = graph_.layers.size(); i-- > 0;)
        place(i);
    }
  }

  bool has_loop(std::size_t layer) const {
    return std::ranges::any_of(graph_.layers[layer],
                               [&](auto node) { return loop_[node] < spec_.loops.size(); });
  }

  /// Moves token loops down until the region of each lies below that of the one above it.
  void separate_loops() {
    std::vector<std::size_t> order(spec_.loops.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](auto loop) { return middle_[spec_.loops[loop].scheduler]; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const double room = top(order[i]) - bottom(order[i - 1]);
      const double wanted = kRegionTop + 2 * kRegionPadding;
      if (room < wanted) move_down(order[i], wanted - room);
    }
  }

  double top(std::size_t loop) const {
    double y = 1e9;
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
      if (loop_[node] == loop) y = std::min(y, middle_[node] - height_[node] / 2);
    return y;
  }
  double bottom(std::size_t loop) const {
    double y = -1e9;
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
      if (loop_[node] == loop) y = std::max(y, middle_[node] + height_[node] / 2);
    return y;
  }

  void move_down(std::size_t loop, double by) {
    for (const auto& layer : graph_.layers) {
      bool below = false;
      for (const auto node : layer) {
        below = below || loop_[node] == loop;
        if (below) middle_[node] += by;
      }
    }
  }

  void place_layer(std::size_t index) {
    const auto& layer = graph_.layers[index];
    std::vector<double> wanted, weight, apart;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const auto [sum, count] = pull(layer[i]);
      wanted.push_back(count > 0 ? sum / count : middle_[layer[i]]);
      weight.push_back(is_box(layer[i]) ? std::max(count, 1.0) : 4);
      if (i + 1 < layer.size()) apart.push_back(distance(layer[i], layer[i + 1]));
    }
    const auto placed = spread(wanted, weight, apart);
    for (std::size_t i = 0; i < layer.size(); ++i)
      middle_[layer[i]] = placed[i];
  }

  /// Where the segments of a node would like it to be: sum and number of wishes.
  std::pair<double, double> pull(std::size_t node) const {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < graph_.segments.size(); ++i) {
      const auto& segment = graph_.segments[i];
      if (segment.left == node) sum += right_y(i) - offsets_[i].left;
      if (segment.right == node) sum += left_y(i) - offsets_[i].right;
      if (segment.left == node || segment.right == node) ++count;
    }
    return {sum, count};
  }

  double left_y(std::size_t segment) const {
    return middle_[graph_.segments[segment].left] + offsets_[segment].left;
  }
  double right_y(std::size_t segment) const {
    return middle_[graph_.segments[segment].right] + offsets_[segment].right;
  }

  void move_to_margin() {
    double top = 1e9;
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
      top = std::min(top, middle_[node] - height_[node] / 2);
    for (auto& y : middle_)
      y = std::round(y - top + kMargin + kTitleHeight + kRegionTop);
  }

  Rect box(std::size_t op) const {
    const auto layer = graph_.nodes[op].layer;
    return {column_x_[layer], middle_[op] - height_[op] / 2, column_width_[layer], height_[op]};
  }

  std::vector<Point> path(std::size_t wire) const {
    std::vector<Point> points;
    for (std::size_t i = 0; i < graph_.segments.size(); ++i) {
      const auto& segment = graph_.segments[i];
      if (segment.wire != wire) continue;
      const auto layer = graph_.nodes[segment.left].layer;
      points.push_back({column_x_[layer] + column_width_[layer], left_y(i)});
      points.push_back({column_x_[layer + 1], right_y(i)});
    }
    // Segments were added from left to right; an answer runs the other way.
    const auto from = graph_.nodes[spec_.wires[wire].from.op].layer;
    const auto to = graph_.nodes[spec_.wires[wire].to.op].layer;
    if (from > to) std::ranges::reverse(points);
    return points;
  }

  Rect region(const TokenLoop& loop, const std::vector<Rect>& boxes) const {
    Rect all = boxes[loop.scheduler];
    std::vector<std::size_t> members = {loop.scheduler, loop.kv_cache, loop.executor, loop.sampler};
    if (loop.drafter) members.push_back(*loop.drafter);
    for (const auto op : members) {
      const auto& one = boxes[op];
      const double right = std::max(all.x + all.width, one.x + one.width);
      const double bottom = std::max(all.y + all.height, one.y + one.height);
      all.x = std::min(all.x, one.x);
      all.y = std::min(all.y, one.y);
      all.width = right - all.x;
      all.height = bottom - all.y;
    }
    all = {all.x - kRegionPadding, all.y - kRegionTop, all.width + 2 * kRegionPadding,
           all.height + kRegionTop + kRegionPadding};
    for (std::size_t op = 0; op < boxes.size(); ++op)
      if (std::ranges::count(members, op) == 0 && all.overlaps(boxes[op])) return {};
    return all;
  }

  const PipelineSpec& spec_;
  LayeredGraph graph_;
  std::vector<double> middle_;
  std::vector<double> height_;
  std::vector<Offsets> offsets_;   // per segment
  std::vector<std::size_t> loop_;  // per node; the number of loops = in none
  std::vector<double> column_x_;
  std::vector<double> column_width_;
};

}  // namespace

GraphLayout lay_out_graph(const PipelineSpec& spec) {
  if (spec.operators.empty()) return {};
  auto layout = Placer(spec).layout();
  place_labels(spec, layout);
  return layout;
}

}  // namespace troupe::pipeline
