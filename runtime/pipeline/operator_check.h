#pragma once
#include "troupe/pipeline/diagnostics.h"
#include "troupe/pipeline/given_values.h"
#include "troupe/pipeline/pipeline_spec.h"
#include "troupe/plugin/catalog.h"

#include <optional>
#include <vector>

namespace troupe::pipeline {

/// An operator after its table was checked.
struct CheckedOperator {
  PipelineOperator op;
  bool kind_known = false;
  const OperatorSpec* spec = nullptr;  // nullptr when there is no such plugin
  std::vector<ResolvedKey> keys;
};

/// Checks an [operators.NAME] table: kind, plugin, parameters and the runtime's own keys.
CheckedOperator check_operator(const GivenOperator& given, const Catalog& catalog,
                               Diagnostics& diagnostics);

/// A [model.NAME] table after its check.
struct CheckedModel {
  ModelTable model;
  std::vector<ResolvedKey> keys;
};

CheckedModel check_model(const GivenTable& given, Diagnostics& diagnostics);

/// The [model.NAME] table that an operator's parameter `model` refers to; nothing when it has no
/// such parameter or it is empty.
std::optional<std::string> model_of(const PipelineOperator& op);

/// Whether every operator's parameter `model` names a table; a diagnostic for each that does not.
bool check_model_names(const std::vector<CheckedOperator>& operators,
                       const std::vector<CheckedModel>& models, Diagnostics& diagnostics);

/// Checks that the operators of each token loop, and the tokenizers that feed it, use one model.
void check_loop_models(const PipelineSpec& spec, Diagnostics& diagnostics);

}  // namespace troupe::pipeline
