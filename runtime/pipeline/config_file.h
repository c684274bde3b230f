#pragma once
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/given_values.h"
#include "troupe/pipeline/toml_source.h"

namespace troupe::pipeline {

/// Adds the values of a config file, which has [operators.NAME] and [model.NAME] tables for what
/// the pipeline has, and neither kinds, plugins nor wires.
void apply_config_file(const SourceNode& root, GivenPipeline& pipeline, Diagnostics& diagnostics);

}  // namespace troupe::pipeline
