#pragma once
#include "troupe/api/result.h"
#include "troupe/api/value.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <string>
#include <string_view>

namespace troupe::pipeline {

/// The resolved key that `key` names, in its short or its long form: "scheduler.max_batch_tokens",
/// "operators.scheduler.params.max_batch_tokens", "model.default.path".
/// Errors: not_found, with the nearest key. The pointer lives as long as the spec.
Result<const ResolvedKey*> find_key(const PipelineSpec& spec, std::string_view key);

/// What a key is and where its value comes from, for people: value, origin, what was overridden,
/// type, unit, range, default, help; a line each.
std::string explain_text(const ResolvedKey& key);

/// The same for programs: key, value, layer, origin, overridden, type, unit, range, default, help.
Value explain_value(const ResolvedKey& key);

/// Which layer goes before which, and how each is given; a line each, weakest first.
std::string precedence_text();

}  // namespace troupe::pipeline
