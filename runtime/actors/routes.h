#pragma once
#include "troupe/pipeline/pipeline_spec.h"

#include <cstddef>
#include <map>
#include <vector>

namespace troupe::actors {

/// For each door (operator index), which operator is the next hop of an event from operator `from`.
/// Empty when `from` sends no events.
std::map<std::size_t, std::size_t> event_routes(const pipeline::PipelineSpec& spec,
                                                std::size_t from);

/// Where operator `from` sends requests (tokenized or not), in the order of the wires.
std::vector<std::size_t> request_targets(const pipeline::PipelineSpec& spec, std::size_t from);

}  // namespace troupe::actors
