#include "troupe/actors/shell.h"

#include <algorithm>

namespace troupe::actors {
namespace {

/// How long a client that found a full queue should wait before it tries again.
constexpr double kRetryAfterMs = 250;

caf::error to_caf_error(std::exception_ptr& pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (const std::exception& error) {
    return caf::make_error(caf::sec::runtime_error, std::string(error.what()));
  } catch (...) {
    return caf::make_error(caf::sec::runtime_error, std::string("no std::exception"));
  }
}

}  // namespace

Shell::Shell(caf::actor_config& config, ShellSetup setup)
    : caf::event_based_actor(config),
      setup_(std::move(setup)),
      outlets_(std::make_shared<Outlets>()) {
  // CAF's own handlers would drop the text of an exception, and print what nobody handles.
  set_exception_handler(
      [](caf::scheduled_actor*, std::exception_ptr& pointer) { return to_caf_error(pointer); });
  set_default_handler([](caf::scheduled_actor*, caf::message_view&) -> caf::result<caf::message> {
    return caf::sec::unexpected_message;
  });
}

void Shell::enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) {
  caf::event_based_actor::enqueue(std::move(element), setup_.loop ? setup_.loop : unit);
}

void Shell::launch(caf::execution_unit* unit, bool lazy, bool hide) {
  caf::event_based_actor::launch(setup_.loop ? setup_.loop : unit, lazy, hide);
}

void Shell::on_exit() {
  // Actors that hold each other would never be freed.
  outlets_ = std::make_shared<Outlets>();
}

caf::behavior Shell::with_common(caf::message_handler own) {
  return own.or_else(caf::message_handler{
      [this](ConnectMessage& message) { connect(std::move(message)); },
      [this](const StatsMessage&) { return StatsReply{guarded_stats()}; },
  });
}

Value Shell::stats() {
  Value stats;
  stats.set("operator", setup_.host->name());
  stats.set("mailbox_depth", setup_.requests->depth());
  stats.set("mailbox_capacity", setup_.requests->capacity());
  stats.set("mailbox_refused", setup_.requests->refused());
  stats.set("events_waiting", setup_.events->depth());
  stats.set("restarts", setup_.host->restarts());
  stats.set("dropping", static_cast<std::int64_t>(failed_.size()));
  return stats;
}

Value Shell::guarded_stats() {
  auto counted = guarded([this] { return stats(); });
  if (counted) return std::move(*counted);
  Value stats = Shell::stats();
  stats.set("error", counted.error().message());
  return stats;
}

Result<void> Shell::recover(const Error& cause) {
  auto restarted = host().restart(cause, now());
  if (!restarted) {
    gone_ = restarted.error();
    send(outlets().supervisor, EscalateMessage{host().name(), *gone_});
  }
  return restarted;
}

const Inlet* Shell::next_towards(std::uint32_t origin) const {
  if (const auto it = outlets_->events.find(origin); it != outlets_->events.end())
    return &it->second;
  if (const auto it = outlets_->doors.find(origin); it != outlets_->doors.end()) return &it->second;
  return nullptr;
}

Error Shell::queue_full(const Inlet& to) {
  return Error(ErrorCode::resource_exhausted, "the queue of operator '" + to.name + "' is full (" +
                                                  std::to_string(to.requests->capacity()) +
                                                  " messages); try again later");
}

bool Shell::send_request(const Inlet& to, std::shared_ptr<Request> request) {
  if (!to.requests->try_enter()) {
    end_request(*request, FinishReason::error, queue_full(to));
    return false;
  }
  send(to.actor, RequestMessage{std::move(request)});
  return true;
}

void Shell::deliver(const Inlet& to, std::vector<TokenEvent> events) {
  to.events->enter();
  send(to.actor, EventsMessage{std::make_shared<std::vector<TokenEvent>>(std::move(events))});
}

void Shell::send_events(std::vector<TokenEvent> events) {
  while (!events.empty()) {
    const Inlet* to = next_towards(events.front().context->origin);
    const auto elsewhere = std::stable_partition(
        events.begin(), events.end(),
        [&](const TokenEvent& event) { return next_towards(event.context->origin) == to; });
    std::vector<TokenEvent> rest(std::make_move_iterator(elsewhere),
                                 std::make_move_iterator(events.end()));
    events.erase(elsewhere, events.end());
    if (to) deliver(*to, std::move(events));
    events = std::move(rest);
  }
}

void Shell::fail_event(TokenEvent& event, Error error) {
  if (!event.last) failed_.insert(event.context->id);  // else nothing comes of it any more
  event.context->cancelled = true;
  for (const auto& scheduler : outlets_->schedulers)
    send<caf::message_priority::high>(scheduler, CancelMessage{event.context->id});
  // The text may be half changed.
  event.text.clear();
  event.finish = FinishReason::error;
  event.error = std::move(error);
  event.last = true;
}

bool Shell::has_failed(const TokenEvent& event) {
  return event.last ? failed_.erase(event.context->id) > 0 : failed_.contains(event.context->id);
}

void Shell::end_request(const Request& request, FinishReason reason, std::optional<Error> error,
                        std::string text) {
  TokenEvent event;
  event.context = request.context;
  event.client_id = request.client_id;
  event.text = std::move(text);
  event.finish = reason;
  event.last = true;
  if (error && error->code() == ErrorCode::resource_exhausted) event.retry_after_ms = kRetryAfterMs;
  event.error = std::move(error);
  event.timings.e2e_ms =
      std::chrono::duration<double, std::milli>(now() - request.context->arrived).count();
  std::vector<TokenEvent> events;
  events.push_back(std::move(event));
  send_events(std::move(events));
}

}  // namespace troupe::actors
