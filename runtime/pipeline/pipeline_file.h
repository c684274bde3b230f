#pragma once
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/given_values.h"
#include "troupe/pipeline/toml_source.h"

namespace troupe::pipeline {

/// Reads the tables of a pipeline file: [pipeline], [operators.NAME], [model.NAME].
GivenPipeline read_pipeline_file(const SourceNode& root, Diagnostics& diagnostics);

}  // namespace troupe::pipeline
