#include "troupe/core/stop_strings.h"

#include <algorithm>

namespace troupe {

Result<StopStrings> StopStrings::build(std::span<const std::string> strings) {
  if (strings.size() > kMaxStrings)
    return fail(ErrorCode::invalid_argument, "stop: " + std::to_string(strings.size()) +
                                                 " strings, at most " +
                                                 std::to_string(kMaxStrings) + " are allowed");
  StopStrings built;
  built.nodes_.emplace_back();
  std::size_t total = 0;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (strings[i].empty())
      return fail(ErrorCode::invalid_argument,
                  "stop[" + std::to_string(i) + "]: an empty string stops nothing; leave it out");
    total += strings[i].size();
    if (total > kMaxTotalBytes)
      return fail(ErrorCode::invalid_argument, "stop: the strings have more than " +
                                                   std::to_string(kMaxTotalBytes) +
                                                   " bytes in all, which is the limit");
    built.insert(strings[i], static_cast<std::uint32_t>(i));
  }
  built.link();
  return built;
}

const StopStrings::Edge* StopStrings::find(State state, std::uint8_t byte) const {
  const auto& edges = nodes_[state].edges;
  const auto edge = std::lower_bound(edges.begin(), edges.end(), byte,
                                     [](const Edge& e, std::uint8_t b) { return e.byte < b; });
  return edge != edges.end() && edge->byte == byte ? &*edge : nullptr;
}

void StopStrings::insert(const std::string& text, std::uint32_t index) {
  State state = kStart;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (const Edge* edge = find(state, byte)) {
      state = edge->to;
      continue;
    }
    const auto added = static_cast<State>(nodes_.size());
    nodes_.emplace_back();
    nodes_.back().depth = nodes_[state].depth + 1;
    auto& edges = nodes_[state].edges;
    const auto place = std::lower_bound(edges.begin(), edges.end(), byte,
                                        [](const Edge& e, std::uint8_t b) { return e.byte < b; });
    edges.insert(place, Edge{byte, added});
    state = added;
  }
  if (nodes_[state].match == kNone) nodes_[state].match = index;  // of equal strings the first
  lengths_.push_back(static_cast<std::uint32_t>(text.size()));
}

void StopStrings::link() {
  std::vector<State> queue;
  for (const Edge& edge : nodes_[kStart].edges) {
    first_[edge.byte] = edge.to;
    queue.push_back(edge.to);
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const State state = queue[head];
    for (const Edge& edge : nodes_[state].edges) {
      Node& child = nodes_[edge.to];
      child.fallback = next(nodes_[state].fallback, edge.byte);
      // Shallower states are done: what they match ends here too, and is shorter than a match of
      // this state's own.
      if (child.match == kNone) child.match = nodes_[child.fallback].match;
      queue.push_back(edge.to);
    }
  }
}

StopStrings::State StopStrings::next(State state, std::uint8_t byte) const {
  while (state != kStart) {
    if (const Edge* edge = find(state, byte)) return edge->to;
    state = nodes_[state].fallback;
  }
  return first_[byte];
}

}  // namespace troupe
