#pragma once
#include "troupe/api/ingress.h"
#include "troupe/pipeline/pipeline_spec.h"
#include "troupe/plugin/catalog.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// The actors of a pipeline without a thread and without a clock of their own: whoever holds it
/// says which actor handles its next message, and what time it is. The same calls give the same
/// run, to the last event. For simulations; all calls from one thread.
class SteppedRuntime {
 public:
  using OnFailure = std::function<void(const std::string& operator_name, const Error& error)>;

  /// As PipelineRuntime::start, but nothing has run yet.
  static Result<std::unique_ptr<SteppedRuntime>> start(const pipeline::PipelineSpec& spec,
                                                       const Catalog& catalog,
                                                       OnFailure on_failure = {});
  /// Ends every actor; events that are under way are lost.
  ~SteppedRuntime();

  /// How many actors have a message waiting.
  std::size_t num_ready() const;
  /// The operator of a ready actor, or "supervisor", or "caf" for an actor of the library's own.
  /// Pre: i < num_ready(). The actor that has been ready longest comes first.
  const std::string& ready(std::size_t i) const;
  /// That actor handles one message.
  void run(std::size_t i);

  Time now() const;
  /// When the next delayed message is due.
  std::optional<Time> next_timer() const;
  /// Lets time pass; delayed messages that become due are delivered.
  void advance(Time::duration by);

  /// The door for the hosting program. Pre: the pipeline has one.
  std::shared_ptr<EmbedDoor> door();
  std::size_t in_flight() const;
  /// The three stages of a shutdown, for all doors.
  void refuse_new(const Error& error);
  void cancel_all();
  void fail_all(const Error& error);

  /// The actors of an operator die of `exit_reason::unhandled_exception`, as after a fault of the
  /// shell itself.
  void kill(const std::string& operator_name);
  /// Whether the event mailbox of an operator has no room.
  bool events_full(const std::string& operator_name) const;
  /// Requests and events that wait in mailboxes, by the operators' own count.
  std::int64_t waiting_messages() const;
  /// What an operator counts; runs ready actors until it answers. None: its actor is dead.
  std::optional<Value> stats(const std::string& operator_name);

 private:
  struct State;
  explicit SteppedRuntime(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace troupe::actors
