#include "troupe/pipeline/graph.h"

#include <algorithm>
#include <optional>

namespace troupe::pipeline {
namespace {

class LoopFinder {
 public:
  LoopFinder(const Graph& graph, Diagnostics& diagnostics)
      : graph_(graph), diagnostics_(diagnostics) {}

  /// Nothing when a part is missing, which can only be with a plugin whose ports are not those of
  /// its kind; or when the loop leads to another scheduler.
  std::optional<TokenLoop> find(std::size_t scheduler) {
    const auto cache = follow(scheduler, MessageType::block_request);
    const auto executor = follow(scheduler, MessageType::step_plan);
    const auto sampler = executor ? follow(*executor, MessageType::logits) : std::nullopt;
    if (!cache || !executor || !sampler) return std::nullopt;
    TokenLoop loop{scheduler, *cache, *executor, *sampler, std::nullopt};
    bool closed = returns(scheduler, loop.kv_cache, MessageType::block_grant);
    closed = returns(scheduler, loop.sampler, MessageType::sampled_tokens) && closed;
    if (!graph_.targets(scheduler, MessageType::draft_request).empty()) {
      loop.drafter = follow(scheduler, MessageType::draft_request);
      closed = loop.drafter && returns(scheduler, *loop.drafter, MessageType::proposal) && closed;
    }
    return closed ? std::optional(loop) : std::nullopt;
  }

 private:
  std::optional<std::size_t> follow(std::size_t from, MessageType message) {
    const auto targets = graph_.targets(from, message);
    if (targets.size() == 1) return targets.front();
    diagnostics_.add(graph_.nodes[from].where,
                     graph_.title(from) + " sends " + std::string(to_string(message)) + " to " +
                         std::to_string(targets.size()) + " operators",
                     "exactly one");
    return std::nullopt;
  }

  bool returns(std::size_t scheduler, std::size_t member, MessageType message) {
    const auto target = follow(member, message);
    if (!target || *target == scheduler) return target.has_value();
    const auto wire = std::ranges::find_if(graph_.wires, [&](const Wire& one) {
      return one.from.op == member && one.message == message;
    });
    diagnostics_.add(wire->where,
                     graph_.title(member) + " works for " + graph_.title(scheduler) +
                         " but sends " + std::string(to_string(message)) + " to " +
                         graph_.title(*target),
                     "each scheduler to have a token loop of its own, such as \"" +
                         graph_.nodes[member].name + " -> " + graph_.nodes[scheduler].name + "\"");
    return false;
  }

  const Graph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<TokenLoop> find_token_loops(const Graph& graph, Diagnostics& diagnostics) {
  LoopFinder finder(graph, diagnostics);
  std::vector<TokenLoop> loops;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind == OperatorKind::scheduler)
      if (const auto loop = finder.find(i)) loops.push_back(*loop);
  return loops;
}

}  // namespace troupe::pipeline
