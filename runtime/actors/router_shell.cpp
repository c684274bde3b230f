#include "troupe/actors/router_shell.h"

namespace troupe::actors {

caf::behavior RouterShell::make_behavior() {
  return with_common({
      [this](RequestMessage& message) {
        requests().leave();
        on_request(std::move(message.request));
      },
      [this](EventsMessage& message) {
        events().leave();
        send_events(std::move(*message.events));
      },
  });
}

std::vector<ReplicaState> RouterShell::replicas() {
  under_way_.resize(outlets().requests.size());
  std::vector<ReplicaState> states;
  for (std::size_t i = 0; i < under_way_.size(); ++i) {
    std::erase_if(under_way_[i], [](const auto& context) { return context.expired(); });
    states.push_back({outlets().requests[i].name, static_cast<std::int64_t>(under_way_[i].size())});
  }
  return states;
}

void RouterShell::on_request(std::shared_ptr<Request> request) {
  if (request->context->cancelled) return end_request(*request, FinishReason::cancelled);
  if (gone()) return end_request(*request, FinishReason::error, gone());
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
  under_way_[**choice].push_back(request->context);
  send_request(outlets().requests[**choice], std::move(request));
}

}  // namespace troupe::actors
