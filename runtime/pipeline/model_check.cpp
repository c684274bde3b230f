#include "troupe/core/nearest_name.h"
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/pipeline/operator_check.h"
#include "troupe/pipeline/param_check.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace troupe::pipeline {
namespace {

/// Whoever must agree with the executor of a loop about the model.
std::vector<std::size_t> companions(const PipelineSpec& spec, const TokenLoop& loop) {
  std::vector<std::size_t> found = {loop.scheduler, loop.kv_cache, loop.sampler};
  if (loop.drafter) found.push_back(*loop.drafter);
  for (const auto& wire : spec.wires)
    if (wire.to.op == loop.scheduler && wire.message == MessageType::tokenized_request)
      found.push_back(wire.from.op);
  return found;
}

/// A path that means the same whatever folder the process works in.
std::string absolute_path(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return path;
  const char* home = std::getenv("HOME");
  fs::path full = path;
  if (path.starts_with("~/") && home) full = fs::path(home) / path.substr(2);
  std::error_code error;
  const auto absolute = fs::absolute(full, error);
  return (error ? full : absolute).lexically_normal().string();
}

}  // namespace

CheckedModel check_model(const GivenTable& given, Diagnostics& diagnostics) {
  const ParamOwner owner{"[model." + given.name + "]", "key", "model." + given.name + ".",
                         given.where};
  auto checked = check_params(model_params(), given, owner, diagnostics);
  for (auto& [name, value] : checked.values)
    if (name == "path") value = Value(absolute_path(value.as_string()));
  return {{given.name, Params(std::move(checked.values)), given.where}, std::move(checked.keys)};
}

std::optional<std::string> model_of(const PipelineOperator& op) {
  for (const auto& [name, value] : op.params.values())
    if (name == "model" && value.is_string() && !value.as_string().empty())
      return value.as_string();
  return std::nullopt;
}

bool check_model_names(const std::vector<CheckedOperator>& operators,
                       const std::vector<CheckedModel>& models, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const auto& one : models)
    names.push_back(one.model.name);
  const auto before = diagnostics.size();
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
                    names.empty() ? "[model." + *name + "]" : one_of(names),
                    std::string(nearest_name(*name, names)));
  }
  return diagnostics.size() == before;
}

void check_loop_models(const PipelineSpec& spec, Diagnostics& diagnostics) {
  const auto title = [&](std::size_t op) {
    return std::string(to_string(spec.operators[op].kind)) + " " +
           in_quotes(spec.operators[op].name);
  };
  for (const auto& loop : spec.loops) {
    const auto model = model_of(spec.operators[loop.executor]);
    for (const auto other : companions(spec, loop)) {
      const auto theirs = model_of(spec.operators[other]);
      if (!model || !theirs || *theirs == *model) continue;
      diagnostics.add(
          spec.operators[other].where,
          title(other) + " uses the model " + in_quotes(*theirs) + ", but " + title(loop.executor) +
              " of its token loop uses " + in_quotes(*model),
          "one model, such as " + spec.operators[other].name + ".model = \"" + *model + "\"");
    }
  }
}

}  // namespace troupe::pipeline
