#pragma once
#include "bench/step_clock.h"
#include "troupe/plugin/catalog.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::program {

/// A catalog whose operators of the token loop tell a clock what they do; all else is as in the
/// catalog behind it. With `executor_only` the clock disturbs nothing but the executor's calls.
class TimedCatalog final : public Catalog {
 public:
  /// All must outlive the operators that this one creates.
  TimedCatalog(const Catalog& catalog, StepClock& clock, bool executor_only)
      : catalog_(catalog), clock_(clock), executor_only_(executor_only) {}

  Result<const OperatorSpec*> find(OperatorKind kind, std::string_view name) const override {
    return catalog_.find(kind, name);
  }
  std::vector<std::string> names(OperatorKind kind) const override { return catalog_.names(kind); }
  Result<std::shared_ptr<Operator>> create(OperatorKind kind, std::string_view name) const override;

 private:
  const Catalog& catalog_;
  StepClock& clock_;
  const bool executor_only_;
};

}  // namespace troupe::program
