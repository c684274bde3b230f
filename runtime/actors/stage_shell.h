#pragma once
#include "troupe/actors/shell.h"

namespace troupe::actors {

/// Owns a stage: passes requests and events through it.
class StageShell final : public Shell {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void on_request(std::shared_ptr<Request> request);
  void on_events(std::vector<TokenEvent> events);
};

}  // namespace troupe::actors
