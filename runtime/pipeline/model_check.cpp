#include "troupe/core/nearest_name.h"
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/pipeline/operator_check.h"
#include "troupe/pipeline/param_check.h"

#include <algorithm>

namespace troupe::pipeline {

CheckedModel check_model(const GivenTable& given, Diagnostics& diagnostics) {
  const ParamOwner owner{"[model." + given.name + "]", "key", "model." + given.name + ".",
                         given.where};
  auto checked = check_params(model_params(), given, owner, diagnostics);
  return {{given.name, Params(std::move(checked.values)), given.where}, std::move(checked.keys)};
}

std::optional<std::string> model_of(const PipelineOperator& op) {
  for (const auto& [name, value] : op.params.values())
    if (name == "model" && value.is_string() && !value.as_string().empty())
      return value.as_string();
  return std::nullopt;
}

void check_model_names(const std::vector<CheckedOperator>& operators,
                       const std::vector<CheckedModel>& models, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const auto& one : models)
    names.push_back(one.model.name);
  for (const auto& checked : operators) {
    const auto name = model_of(checked.op);
    if (!name || std::ranges::count(names, *name) > 0) continue;
    const auto key = std::ranges::find(checked.keys, checked.op.name + ".model", &ResolvedKey::key);
    const auto& setting = key->current();
    const bool by_default = setting.layer == kDefaultLayer;
    diagnostics.add(by_default ? checked.op.where : setting.where,
                    "operator " + in_quotes(checked.op.name) + " uses the model " +
                        in_quotes(*name) + (by_default ? " by default" : "") +
                        ", which has no table",
                    names.empty() ? "[model." + *name + "]" : "one of " + join_names(names),
                    std::string(nearest_name(*name, names)));
  }
}

}  // namespace troupe::pipeline
