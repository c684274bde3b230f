#pragma once
#include "troupe/actors/shell.h"

namespace troupe::actors {

/// Owns a sampler: turns a step's logits into tokens.
class SamplerShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_logits(const StepStatePtr& step);
};

}  // namespace troupe::actors
