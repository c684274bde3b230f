#include "troupe/actors/ingress_shell.h"

namespace troupe::actors {

caf::behavior IngressShell::make_behavior() {
  return with_common({[this](EventsMessage& message) {
    events().leave();
    on_events(*message.events);
  }});
}

void IngressShell::on_events(std::vector<TokenEvent>& events) {
  for (auto& event : events) {
    if (!door_->accept(event)) {  // its request has ended already
      ++late_;
      continue;
    }
    auto delivered = guarded([&] { host().as<Ingress>().deliver(event); });
    door_->delivered(event);
    if (delivered) continue;
    // The client cannot be told; the request must not go on for nobody.
    ++undelivered_;
    door_->cancel(event.context->id);
  }
}

Value IngressShell::stats() {
  Value stats = Shell::stats();
  stats.set("in_flight", static_cast<std::int64_t>(door_->in_flight()));
  stats.set("undelivered", undelivered_);
  stats.set("late_events", late_);
  return stats;
}

}  // namespace troupe::actors
