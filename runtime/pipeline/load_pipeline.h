#pragma once
#include "troupe/api/result.h"
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/pipeline_spec.h"
#include "troupe/plugin/catalog.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe::pipeline {

/// The values that go before those of the pipeline file. Precedence, weakest first:
/// pipeline < config files in their order < environment < flags in their order.
struct Overrides {
  std::vector<std::string> config_files;  // paths of TOML files with values only
  std::string environment;                // TROUPE_SET: "key=value;key=value"
  std::vector<std::string> set;           // --set: "key=value" each
  std::string model;                      // --model: stands for model.default.path; empty = none
};

/// Text of a pipeline and the name it goes by in messages.
struct PipelineSource {
  std::string text;
  std::string name;
};

/// Everything a check found out: the spec when there is no diagnostic, otherwise none.
struct CheckedPipeline {
  std::optional<PipelineSpec> spec;
  Diagnostics diagnostics;
};

/// Checks a pipeline as a whole: grammar, operators, parameters, wires, paths, configuration.
/// Opens no model, starts no thread and creates no operator; asks the catalog for descriptions
/// only. Never fails otherwise than by diagnostics.
CheckedPipeline check_pipeline(const PipelineSource& source, const Overrides& overrides,
                               const Catalog& catalog);

/// Reads and checks the pipeline at `path`. Errors: not_found (no such file), invalid_argument with
/// every diagnostic, a line each.
Result<PipelineSpec> load_pipeline(const std::string& path, const Overrides& overrides,
                                   const Catalog& catalog);

/// As above, for a pipeline that is no file.
Result<PipelineSpec> load_pipeline(const PipelineSource& source, const Overrides& overrides,
                                   const Catalog& catalog);

/// The parameters that a [model.NAME] table may have.
std::span<const ParamSpec> model_params();

}  // namespace troupe::pipeline
