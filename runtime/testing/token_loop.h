#pragma once
#include "troupe/api/executor.h"
#include "troupe/api/sampler.h"
#include "troupe/api/scheduler.h"

#include <vector>

namespace troupe::testing {

/// Keeps the events it is given, in order.
class RecordedEvents : public EventSink {
 public:
  void emit(TokenEvent event) override { events.push_back(std::move(event)); }
  std::vector<TokenEvent> events;
};

/// The token loop as plain calls, without actors: what the runtime's shells do in one turn.
class TokenLoop {
 public:
  TokenLoop(Scheduler& scheduler, KvCache& cache, Executor& executor, const Sampler& sampler)
      : scheduler_(scheduler), cache_(cache), executor_(executor), sampler_(sampler) {}

  /// One turn: want, reserve, plan and, unless the plan is empty, submit, sample and complete.
  /// Pre: scheduler.has_work(). Returns whether a step ran.
  bool turn(Time now, EventSink& events) { return turn(now, now, events); }
  /// As above, with the time at which the step completes.
  bool turn(Time now, Time completed, EventSink& events);

  const StepPlan& plan() const { return plan_; }
  const BlockRequest& request() const { return request_; }

 private:
  Scheduler& scheduler_;
  KvCache& cache_;
  Executor& executor_;
  const Sampler& sampler_;
  BlockRequest request_;
  BlockGrant grant_;
  StepPlan plan_;
  SampledTokens sampled_;
};

}  // namespace troupe::testing
