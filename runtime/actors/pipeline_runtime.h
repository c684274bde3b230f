#pragma once
#include "troupe/api/ingress.h"
#include "troupe/pipeline/pipeline_spec.h"
#include "troupe/plugin/catalog.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// A checked pipeline brought to life: every operator is an actor, wired as the pipeline says.
/// Nothing here is global: several may live in one process. Public calls come from one thread at a
/// time.
class PipelineRuntime {
 public:
  struct Options {
    /// Told what a door announces ("listening on ..."), on any thread.
    std::function<void(const std::string& door, std::string line)> on_announce;
    /// Told what is being started, before it is: the name of the operator.
    std::function<void(const std::string& operator_name)> on_starting;
    /// Told of an operator that stopped for good, on a thread of the runtime.
    std::function<void(const std::string& operator_name, const Error& error)> on_failure;
    /// Threads of the pool in which doors, stages and tokenizers run.
    int pool_threads = 2;
    /// How long the thread of a token loop looks for work before it sleeps.
    std::chrono::microseconds loop_spin{0};
  };

  /// Creates, configures and starts every operator (executors first, doors last), then opens the
  /// doors. Errors: the first operator's that cannot start; everything started before is stopped
  /// again.
  static Result<std::unique_ptr<PipelineRuntime>> start(const pipeline::PipelineSpec& spec,
                                                        const Catalog& catalog, Options options);
  /// As close with no time to drain.
  ~PipelineRuntime();

  /// The door of that name for the hosting program; with an empty name the only one there is. It
  /// may be kept: once the runtime is closed it refuses every request. Errors: not_found.
  Result<std::shared_ptr<EmbedDoor>> embed_door(std::string_view name = {});

  /// Requests under way, over all doors.
  std::size_t in_flight() const;

  /// Waits until every door that ends by itself has said so and nothing is under way; false when
  /// `limit` ran out first.
  bool wait_finished(std::chrono::milliseconds limit);

  /// From now on every new request is refused; those under way go on.
  void refuse_new();

  /// Refuses new requests, lets running ones end for at most `limit`, cancels the rest, closes the
  /// doors and stops all operators. Every request gets its terminal event before: one that a second
  /// after its cancellation still runs (its step is that long, or stuck) gets the error
  /// `cancelled`. Idempotent. Errors: internal (an operator's code did not return; its actors are
  /// left behind).
  Result<void> close(std::chrono::milliseconds limit);
  /// The limit of a close, also of one under way, ends now. Any thread.
  void end_drain() { drain_ended_ = true; }

  /// What the operators count, one object each.
  Value stats();

 private:
  struct State;
  explicit PipelineRuntime(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
  std::atomic<bool> drain_ended_{false};
};

}  // namespace troupe::actors
