#include "troupe/actors/stage_shell.h"

#include "troupe/api/stage.h"

namespace troupe::actors {

caf::behavior StageShell::make_behavior() {
  return with_common({
      [this](RequestMessage& message) {
        requests().leave();
        on_request(std::move(message.request));
      },
      [this](EventsMessage& message) {
        events().leave();
        on_events(std::move(*message.events));
      },
  });
}

void StageShell::on_request(std::shared_ptr<Request> request) {
  if (request->context->cancelled) return end_request(*request, FinishReason::cancelled);
  if (gone()) return end_request(*request, FinishReason::error, gone());
  auto verdict = guarded([&] { return host().as<Stage>().on_request(*request); });
  if (!verdict) {
    // Costs the request that met the fault; the next one meets a new object.
    end_request(*request, FinishReason::error, verdict.error().at(host().name()));
    static_cast<void>(recover(verdict.error()));
    return;
  }
  switch (verdict->action) {
    case StageVerdict::Action::pass:
      send_request(outlets().requests.front(), std::move(request));
      return;
    case StageVerdict::Action::refuse:
      return end_request(
          *request, FinishReason::error,
          verdict->error.value_or(
              Error(ErrorCode::invalid_argument, "refused by stage '" + host().name() + "'")));
    case StageVerdict::Action::reply:
      return end_request(*request, FinishReason::stop, std::nullopt, std::move(verdict->text));
  }
}

void StageShell::on_events(std::vector<TokenEvent> events) {
  pass_events(std::move(events), [this](TokenEvent& event) {
    // What a stage was to check or change must not go by without it.
    if (gone()) return fail_event(event, *gone());
    auto passed = guarded([&] { host().as<Stage>().on_event(event); });
    if (passed) return;
    fail_event(event, passed.error().at(host().name()));
    static_cast<void>(recover(passed.error()));
  });
}

}  // namespace troupe::actors
