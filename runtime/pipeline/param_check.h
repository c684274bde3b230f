#pragma once
#include "troupe/api/params.h"
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/given_values.h"
#include "troupe/pipeline/pipeline_spec.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::pipeline {

/// Whose parameters are checked, for messages and for the names of resolved keys.
struct ParamOwner {
  std::string title;       // "scheduler 'continuous'", "[model.default]"
  std::string noun;        // what its keys are called: "parameter", "key"
  std::string key_prefix;  // "scheduler."
  SourceLocation where;
  /// Names that are valid elsewhere, and what to put before them there: for suggestions.
  std::vector<std::string> other_names = {};
  std::string other_prefix = {};
};

/// Values of all declared parameters, in the order of their declaration.
struct CheckedParams {
  Value::Object values;
  std::vector<ResolvedKey> keys;
};

/// Checks what was given against what is declared, and completes it with the defaults. A parameter
/// with a fault has its default (or nothing) in the result, and a diagnostic.
CheckedParams check_params(std::span<const ParamSpec> specs, const GivenTable& given,
                           const ParamOwner& owner, Diagnostics& diagnostics);

/// "an integer from 1 to 4096 tokens", "\"cpu\" or \"cuda\"": what a parameter's value may be.
std::string describe_values(const ParamSpec& spec);

/// "1 to 4096", "at least 0", "cpu | cuda"; empty when any value of the type will do.
std::string describe_range(const ParamSpec& spec);

/// The choices of a text parameter; empty when any text will do.
std::vector<std::string> choices_of(const ParamSpec& spec);

/// "integer", "list of text", ...
std::string_view to_string(ParamType type);

}  // namespace troupe::pipeline
