#pragma once
#include "troupe/api/executor_info.h"
#include "troupe/api/operator.h"
#include "troupe/api/step.h"

#include <functional>

namespace troupe {

/// Runs one model shard on one device: the forward pass of a StepPlan.
class Executor : public Operator {
 public:
  /// Called once per submit, on any thread. The result lives until the next submit.
  using Done = std::function<void(const StepResult&)>;

  /// Pre: started. What the model is and how much it can take.
  virtual const ExecutorInfo& info() const = 0;

  /// Runs a plan. A CPU executor computes in the calling thread and calls `done` before it returns;
  /// one on an accelerator returns at once. At most one plan is under way.
  virtual void submit(const StepPlan& plan, const Done& done) = 0;
};

}  // namespace troupe
