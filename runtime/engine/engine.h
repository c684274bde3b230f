#pragma once
#include "troupe/actors/pipeline_runtime.h"
#include "troupe/api/ingress.h"
#include "troupe/core/answer.h"
#include "troupe/pipeline/load_pipeline.h"
#include "troupe/plugin/registry.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// The door for programs: opens a pipeline, takes requests, streams their events, and closes it.
/// Several engines may live in one process. submit, cancel and generate may be called from any
/// thread.
class Engine {
 public:
  using Options = actors::PipelineRuntime::Options;
  using OnEvent = EmbedDoor::OnEvent;

  /// Starts a checked pipeline; returns when it takes requests. The catalog must outlive the
  /// engine. Errors: those of the operators that cannot start.
  static Result<std::unique_ptr<Engine>> open(const pipeline::PipelineSpec& spec,
                                              const Catalog& catalog, Options options = {});
  ~Engine();

  /// Sends a request through the pipeline's door for the hosting program. `on_event` is called on
  /// the runtime's threads, in order, and must not block; the event with `last` comes exactly once.
  /// Errors: not_found (the pipeline has no such door), resource_exhausted, cancelled (shutting
  /// down); then no event comes.
  Result<RequestId> submit(Request request, OnEvent on_event);

  /// Takes a request back; its last event still comes. Unknown and ended ids are ignored.
  void cancel(RequestId request);

  /// submit, then waits for the last event. An error of the request is in the answer.
  Result<Answer> generate(Request request);

  std::size_t in_flight() const { return runtime_->in_flight(); }
  /// Waits until doors that end by themselves (a batch file) have ended, at most `limit`.
  bool wait_finished(std::chrono::milliseconds limit) { return runtime_->wait_finished(limit); }
  /// From now on every new request is refused; those under way go on.
  void refuse_new() { runtime_->refuse_new(); }
  /// Refuses new requests, lets running ones end for at most `limit`, then cancels them and stops.
  Result<void> close(std::chrono::milliseconds limit) { return runtime_->close(limit); }
  /// The limit of a close, also of one under way, ends now. Any thread.
  void end_drain() { runtime_->end_drain(); }
  /// What the operators count: an array of objects.
  Value stats() { return runtime_->stats(); }

 private:
  explicit Engine(std::unique_ptr<actors::PipelineRuntime> runtime);
  std::unique_ptr<actors::PipelineRuntime> runtime_;
  std::shared_ptr<EmbedDoor> door_;
};

}  // namespace troupe
