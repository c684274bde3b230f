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
    const auto acceptance = door_->accept(event);
    if (!acceptance.accepted) {  // its request has ended already
      ++late_;
    } else if (!acceptance.best_of) {
      deliver(event);
    } else {
      for (const auto& chosen : acceptance.best_of->add(event))
        deliver(chosen);
    }
  }
}

void IngressShell::deliver(const TokenEvent& event) {
  auto delivered = guarded([&] { host().as<Ingress>().deliver(event); });
  door_->delivered(event);
  if (delivered) return;
  // The client cannot be told; the request must not go on for nobody.
  ++undelivered_;
  door_->cancel(event.context->id);
}

Value IngressShell::stats() {
  Value stats = Shell::stats();
  stats.set("in_flight", static_cast<std::int64_t>(door_->in_flight()));
  stats.set("undelivered", undelivered_);
  stats.set("late_events", late_);
  return stats;
}

}  // namespace troupe::actors
