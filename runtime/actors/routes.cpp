#include "troupe/actors/routes.h"

#include <algorithm>
#include <set>

namespace troupe::actors {
namespace {

bool carries_events(const pipeline::Wire& wire) {
  return wire.message == MessageType::token_event || wire.message == MessageType::text_event;
}

/// The doors that events at operator `at` can reach.
std::set<std::size_t> doors_from(const pipeline::PipelineSpec& spec, std::size_t at) {
  std::set<std::size_t> seen{at}, doors;
  std::vector<std::size_t> open{at};
  while (!open.empty()) {
    const auto op = open.back();
    open.pop_back();
    if (spec.operators[op].kind == OperatorKind::ingress) doors.insert(op);
    for (const auto& wire : spec.wires)
      if (carries_events(wire) && wire.from.op == op && seen.insert(wire.to.op).second)
        open.push_back(wire.to.op);
  }
  return doors;
}

}  // namespace

std::map<std::size_t, std::size_t> event_routes(const pipeline::PipelineSpec& spec,
                                                std::size_t from) {
  std::map<std::size_t, std::size_t> routes;
  for (const auto& wire : spec.wires)
    if (carries_events(wire) && wire.from.op == from)
      for (const auto door : doors_from(spec, wire.to.op))
        routes.emplace(door, wire.to.op);
  return routes;
}

std::vector<std::size_t> request_targets(const pipeline::PipelineSpec& spec, std::size_t from) {
  std::vector<std::size_t> targets;
  for (const auto& wire : spec.wires)
    if (wire.from.op == from &&
        (wire.message == MessageType::request || wire.message == MessageType::tokenized_request))
      targets.push_back(wire.to.op);
  return targets;
}

}  // namespace troupe::actors
