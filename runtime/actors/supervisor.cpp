#include "troupe/actors/supervisor.h"

namespace troupe::actors {

Supervisor::Supervisor(caf::actor_config& config, std::map<caf::actor_addr, std::string> shells,
                       OnFailure on_failure)
    : caf::event_based_actor(config),
      shells_(std::move(shells)),
      on_failure_(std::move(on_failure)) {
  set_down_handler([this](caf::down_msg& down) {
    const auto it = shells_.find(down.source);
    if (it == shells_.end()) return;
    if (down.reason && down.reason != caf::exit_reason::user_shutdown)
      on_failure_(it->second,
                  Error(ErrorCode::internal, "the actor of operator '" + it->second +
                                                 "' ended: " + system().render(down.reason)),
                  true);
    shells_.erase(it);
  });
}

caf::behavior Supervisor::make_behavior() {
  for (const auto& [address, name] : shells_)
    monitor(address);
  return {[this](const EscalateMessage& message) {
    on_failure_(message.operator_name, message.error, false);
  }};
}

}  // namespace troupe::actors
