#pragma once
#include "troupe/actors/shell.h"
#include "troupe/api/executor.h"

#include <cstdint>
#include <string>

namespace troupe::actors {

/// Owns an executor. On a CPU the forward pass runs right here, on the loop's thread; an
/// accelerator's completion comes back as a message.
class ExecutorShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_plan(const StepStatePtr& step);
  void on_done(const StepStatePtr& step);
  void take_outcome(const StepStatePtr& step);
  void lost(const Error& cause);
  Value stats() override;

  StepStatePtr under_way_;  // submitted, and not done so far
  StepStatePtr next_;       // waits for that
  std::int64_t steps_ = 0;
  std::int64_t swap_losses_ = 0;  // sequences that lost their blocks in a swap
  std::string last_swap_loss_;
};

}  // namespace troupe::actors
