#pragma once
#include "troupe/actors/shell.h"

namespace troupe::actors {

/// Owns a key-value cache's books and answers the scheduler of its token loop.
class KvCacheShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_reserve(const StepStatePtr& step);
  void lost(const Error& cause);
  Value stats() override;
};

}  // namespace troupe::actors
