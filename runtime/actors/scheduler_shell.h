#pragma once
#include "troupe/actors/shell.h"
#include "troupe/api/scheduler.h"

#include <unordered_map>
#include <vector>

namespace troupe::actors {

/// Owns a scheduler and drives the token loop: want -> reserve -> plan -> submit -> sample ->
/// complete. At most one step is under way. Requests, cancellations and deadlines are handled
/// between its hops.
class SchedulerShell final : public Shell, private EventSink {
 public:
  using Shell::Shell;
  caf::behavior make_behavior() override;

 private:
  void emit(TokenEvent event) override;  // EventSink

  void on_request(TokenizedRequestPtr request);
  void on_cancel(RequestId request);
  void on_grant(const StepStatePtr& step);
  void on_sampled(const StepStatePtr& step);
  void on_lost(const std::optional<Error>& gone);
  void on_tick();

  /// Calls the scheduler; when it throws, its state is unknown: every request it holds ends with an
  /// error.
  template <class Function>
  bool call(Function&& function);
  void fail_all(const Error& error);

  void begin_step();
  void end_step() { step_under_way_ = false; }
  void abandon_step();  // its late messages will be ignored
  void turn_over();     // sends the events of this turn, then begins the next step if there is work
  void flush_events();
  void request_tick();
  bool downstream_is_full() const;
  Value stats() override;

  StepStatePtr step_ = std::make_shared<StepState>();
  bool step_under_way_ = false;
  bool tick_pending_ = false;
  int empty_plans_ = 0;   // in a row, with nothing given back
  bool stalled_ = false;  // nothing can run: wait for news or a tick
  std::vector<TokenEvent> events_;
  std::unordered_map<RequestId, RequestPtr> held_;  // accepted, and without a last event so far
};

}  // namespace troupe::actors
