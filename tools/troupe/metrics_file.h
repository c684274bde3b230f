#pragma once
#include "troupe/api/result.h"
#include "troupe/api/value.h"

#include <string>

namespace troupe::program {

/// What the operators of an engine count (Engine::stats), in Prometheus' text format: every figure
/// is a metric troupe_FIGURE with the label `operator`. Figures that are no numbers are left out.
std::string metrics_text(const Value& stats);

/// Writes the metrics to `path` in one stroke: who reads it sees the old text or the new one, never
/// half of it. Errors: device, with the path and the system's reason.
Result<void> write_metrics(const std::string& path, const Value& stats);

}  // namespace troupe::program
