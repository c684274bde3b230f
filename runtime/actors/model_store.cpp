#include "troupe/actors/model_store.h"

#include "troupe/core/nearest_name.h"

namespace troupe::actors {

ModelStore::ModelStore(const std::vector<pipeline::ModelTable>& tables) {
  for (const auto& table : tables)
    tables_.emplace(table.name, table.params);
}

Result<const Params*> ModelStore::table(std::string_view name) const {
  if (const auto it = tables_.find(name); it != tables_.end()) return &it->second;
  std::vector<std::string> names;
  for (const auto& [known, params] : tables_)
    names.push_back(known);
  return fail(ErrorCode::not_found,
              "the pipeline has no table [model." + std::string(name) + "]" + suggest(name, names));
}

Result<Params> ModelStore::params(std::string_view name) const {
  return table(name).map([](const Params* params) { return *params; });
}

Result<std::shared_ptr<const model::ModelFile>> ModelStore::open(std::string_view name) {
  if (const auto it = open_.find(name); it != open_.end()) return it->second;
  auto params = table(name);
  if (!params) return fail(params.error());
  const auto& path = (*params)->get_text("path");
  if (path.empty())
    return fail(ErrorCode::not_found, "[model." + std::string(name) +
                                          "] has no path; give the model file with " +
                                          (name == "default" ? "--model PATH or " : "") +
                                          "--set model." + std::string(name) + ".path=PATH");
  auto file = model::open_model(path);
  if (!file) return fail_at("[model." + std::string(name) + "]", file.error());
  open_.emplace(std::string(name), *file);
  return file;
}

Result<ExecutorInfo> OperatorResources::executor_info() const {
  if (!info_ || !*info_)
    return fail(ErrorCode::not_found,
                "this operator belongs to no token loop whose executor has started");
  return **info_;
}

}  // namespace troupe::actors
