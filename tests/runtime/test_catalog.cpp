#include "test_catalog.h"

namespace troupe::testing {

TestCatalog::TestCatalog() : registry_({.folders = {TROUPE_BINARY_DIR "/lib/troupe/plugins"}}) {}

Result<const OperatorSpec*> TestCatalog::find(OperatorKind kind, std::string_view name) const {
  if (const auto it = own_.find({kind, std::string(name)}); it != own_.end()) return &it->second;
  return registry_.find(kind, name);
}

std::vector<std::string> TestCatalog::names(OperatorKind kind) const {
  auto names = registry_.names(kind);
  for (const auto& [key, spec] : own_)
    if (key.first == kind) names.push_back(key.second);
  return names;
}

Result<std::shared_ptr<Operator>> TestCatalog::create(OperatorKind kind,
                                                      std::string_view name) const {
  if (const auto it = own_.find({kind, std::string(name)}); it != own_.end())
    return std::shared_ptr<Operator>(it->second.create());
  return registry_.create(kind, name);
}

}  // namespace troupe::testing
