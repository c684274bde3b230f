#pragma once
#include "troupe/actors/messages.h"
#include "troupe/actors/operator_host.h"
#include "troupe/actors/outlets.h"
#include "troupe/actors/step_loop.h"

#include <caf/all.hpp>

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace troupe::actors {

/// What every shell is made with.
struct ShellSetup {
  std::shared_ptr<OperatorHost> host;
  std::shared_ptr<MailboxGauge> requests;
  std::shared_ptr<MailboxGauge> events;
  StepLoop* loop = nullptr;  // nullptr: CAF's pool
};

/// Base of every shell: the actor that owns one operator's object and calls it. It keeps exceptions
/// of the plugin from ending the actor, counts the mailbox, knows where messages go and answers for
/// the operator when its object failed for good.
class Shell : public caf::event_based_actor {
 public:
  Shell(caf::actor_config& config, ShellSetup setup);

  using caf::event_based_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override;
  void launch(caf::execution_unit* unit, bool lazy, bool hide) override;
  void on_exit() override;

 protected:
  OperatorHost& host() { return *setup_.host; }
  /// What waits in the mailbox, requests and events apart: prompts that queue up must not hold back
  /// the events of requests that run.
  MailboxGauge& requests() { return *setup_.requests; }
  MailboxGauge& events() { return *setup_.events; }
  const Outlets& outlets() const { return *outlets_; }
  /// The clock of the actor system: that of the machine, or the virtual one of a SteppedRuntime.
  Time now() const { return clock().now(); }

  const ShellSetup& setup() const { return setup_; }
  void connect(ConnectMessage message) { outlets_ = std::move(message.outlets); }

  /// The handlers every shell has; `own` goes first.
  caf::behavior with_common(caf::message_handler own);

  /// After a failure of the object: replaces it within the restart budget. When it cannot go on,
  /// the supervisor learns of it and every later request is refused with that error.
  Result<void> recover(const Error& cause);
  /// From now on every request is refused with `error`.
  void stand_still(Error error) { gone_ = std::move(error); }
  /// The error for which the operator stands still, if it does.
  const std::optional<Error>& gone() const { return gone_; }

  /// What a client is told when `to` has no room.
  static Error queue_full(const Inlet& to);
  /// Sends a request on; ends it with a terminal event when the next mailbox is full, and returns
  /// false.
  bool send_request(const Inlet& to, std::shared_ptr<Request> request);
  /// Sends events on, each towards the door its request came from.
  void send_events(std::vector<TokenEvent> events);
  /// Ends a request here: one terminal event towards its door.
  void end_request(const Request& request, FinishReason reason, std::optional<Error> error = {},
                   std::string text = {});

  /// Hands events to `work` one by one, in order, and sends them on. Those of requests that
  /// fail_event has ended are dropped, also later ones of the same message.
  template <class Function>
  void pass_events(std::vector<TokenEvent> events, Function&& work) {
    std::vector<TokenEvent> passed;
    passed.reserve(events.size());
    for (auto& event : events) {
      if (has_failed(event)) continue;
      work(event);
      passed.push_back(std::move(event));
    }
    send_events(std::move(passed));
  }
  /// Makes an event the last one of its request, with `error`, and takes the request back from the
  /// schedulers.
  void fail_event(TokenEvent& event, Error error);

  virtual Value stats();

 private:
  /// stats, or those of the shell alone and an error when the plugin throws.
  Value guarded_stats();
  void deliver(const Inlet& to, std::vector<TokenEvent> events);
  /// Whether fail_event has ended the event's request.
  bool has_failed(const TokenEvent& event);
  const Inlet* next_towards(std::uint32_t origin) const;

  ShellSetup setup_;
  std::shared_ptr<const Outlets> outlets_;
  std::optional<Error> gone_;
  std::unordered_set<RequestId> failed_;  // until the schedulers' own last event of them comes by
};

}  // namespace troupe::actors
