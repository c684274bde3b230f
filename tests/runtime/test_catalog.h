#pragma once
#include "troupe/plugin/registry.h"

#include <map>
#include <string>
#include <utility>

namespace troupe::testing {

/// The real plugins of this build, with some operators of the test's own beside them or in their
/// place.
class TestCatalog final : public Catalog {
 public:
  TestCatalog();

  void add(OperatorSpec spec) { own_.insert_or_assign({spec.kind, std::string(spec.name)}, spec); }

  Result<const OperatorSpec*> find(OperatorKind kind, std::string_view name) const override;
  std::vector<std::string> names(OperatorKind kind) const override;
  Result<std::shared_ptr<Operator>> create(OperatorKind kind, std::string_view name) const override;

 private:
  Registry registry_;
  std::map<std::pair<OperatorKind, std::string>, OperatorSpec> own_;
};

}  // namespace troupe::testing
