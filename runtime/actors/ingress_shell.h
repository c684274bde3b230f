#pragma once
#include "troupe/actors/door.h"
#include "troupe/actors/shell.h"

namespace troupe::actors {

/// Owns a door: hands events to the plugin that talks to the clients.
class IngressShell final : public Shell {
 public:
  IngressShell(caf::actor_config& config, ShellSetup setup, std::shared_ptr<Door> door)
      : Shell(config, std::move(setup)), door_(std::move(door)) {}
  caf::behavior make_behavior() override;

 private:
  void on_events(std::vector<TokenEvent>& events);
  void deliver(const TokenEvent& event);
  Value stats() override;

  std::shared_ptr<Door> door_;
  std::int64_t undelivered_ = 0;  // events the plugin threw at
  std::int64_t late_ = 0;         // events of requests that had ended
};

}  // namespace troupe::actors
