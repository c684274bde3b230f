#include "troupe/actors/router_shell.h"

namespace troupe::actors {

caf::behavior RouterShell::make_behavior() {
  return with_common({
      [this](RequestMessage& message) {
        gauge().leave();
        on_request(std::move(message.request));
      },
      [this](EventsMessage& message) {
        gauge().leave();
        on_events(std::move(*message.events));
      },
  });
}

std::vector<ReplicaState> RouterShell::replicas() const {
  std::vector<ReplicaState> states;
  for (std::size_t i = 0; i < outlets().requests.size(); ++i)
    states.push_back({outlets().requests[i].name, in_flight_[i]});
  return states;
}

void RouterShell::on_request(std::shared_ptr<Request> request) {
  if (request->context->cancelled) return end_request(*request, FinishReason::cancelled);
  if (gone()) return end_request(*request, FinishReason::error, gone());
  in_flight_.resize(outlets().requests.size());
  const auto states = replicas();
  auto choice = guarded([&] { return host().as<Router>().choose(*request, states); });
  if (!choice || (*choice && **choice >= states.size())) {
    const Error error =
        choice ? Error(ErrorCode::internal, "the router chose an operator that is not there")
               : choice.error();
    end_request(*request, FinishReason::error, error.at(host().name()));
    static_cast<void>(recover(error));
    return;
  }
  if (!*choice) return end_request(*request, FinishReason::error, choice->error());
  // Only a router that sees the events learns when a request has ended.
  if (!outlets().events.empty()) {
    chosen_[request->context->id] = **choice;
    ++in_flight_[**choice];
  }
  send_request(outlets().requests[**choice], std::move(request));
}

void RouterShell::on_events(std::vector<TokenEvent> events) {
  for (const auto& event : events)
    if (event.last)
      if (const auto it = chosen_.find(event.context->id); it != chosen_.end()) {
        --in_flight_[it->second];
        chosen_.erase(it);
      }
  send_events(std::move(events));
}

}  // namespace troupe::actors
