#pragma once
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/given_values.h"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::pipeline {

/// Splits the environment's "key=value;key=value" at the semicolons that are in no quotes and no
/// brackets; blank parts are left out.
std::vector<std::string> split_assignments(std::string_view text);

/// Adds one "key=value". The key is `operator.parameter`, `operator.params.parameter`,
/// `operator.mailbox` and the like, or `model.NAME.key`; "operators." may stand in front. The value
/// is TOML, where a word needs no quotes. `source` names the flag or variable in messages.
void apply_assignment(std::string_view text, const std::string& source, std::string_view layer,
                      GivenPipeline& pipeline, Diagnostics& diagnostics);

/// Adds the path that --model gives: model.default.path.
void apply_model_flag(const std::string& path, GivenPipeline& pipeline, Diagnostics& diagnostics);

}  // namespace troupe::pipeline
