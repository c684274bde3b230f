#pragma once
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/given_values.h"
#include "troupe/pipeline/toml_source.h"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::pipeline {

/// Takes the keys of an [operators.NAME] table into `op`. A config file may set neither kind nor
/// plugin.
void read_operator_keys(const SourceNode& node, GivenOperator& op, std::string_view layer,
                        Diagnostics& diagnostics);

/// Takes the keys of a [model.NAME] table; a relative path becomes one from the file's folder.
void read_model_keys(const SourceNode& node, GivenTable& model, std::string_view layer);

/// Gives the keys of `whole`, the value of an operator's `params` or `restart` key, one by one.
void give_subtable(GivenOperator& op, std::string_view key, const GivenValue& whole,
                   Diagnostics& diagnostics);

/// Whether an entry is a table; otherwise a diagnostic with an example of one.
bool expect_table(const SourceEntry& entry, std::string_view example, Diagnostics& diagnostics);

/// Reports a key that is none of `known`; `place` reads like "in [pipeline]".
void report_unknown_key(const SourceEntry& entry, std::string_view place,
                        const std::vector<std::string>& known, Diagnostics& diagnostics);

}  // namespace troupe::pipeline
