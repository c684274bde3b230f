#include "bench/timed_operators.h"

#include "troupe/api/executor.h"
#include "troupe/api/sampler.h"
#include "troupe/api/scheduler.h"

namespace troupe::program {
namespace {

using std::chrono::steady_clock;

/// Owns an operator that it passes every call on to.
template <class Kind>
class Timed : public Kind {
 public:
  Timed(std::shared_ptr<Operator> inner, StepClock& clock)
      : owner_(std::move(inner)), inner_(dynamic_cast<Kind&>(*owner_)), clock_(clock) {}

  Result<void> configure(const Params& params) override { return inner_.configure(params); }
  Result<void> start(Resources& resources) override { return inner_.start(resources); }
  void stop() noexcept override { inner_.stop(); }

 protected:
  Kind& inner() { return inner_; }
  const Kind& inner() const { return inner_; }

  template <class Function>
  void timed(StepPart part, Function&& function) const {
    StepClock::Mark mark{part, steady_clock::now(), {}, 0, 0};
    function();
    mark.end = steady_clock::now();
    clock_.add(mark);
  }
  StepClock& clock() const { return clock_; }

 private:
  std::shared_ptr<Operator> owner_;
  Kind& inner_;
  StepClock& clock_;
};

class TimedExecutor final : public Timed<Executor> {
 public:
  using Timed::Timed;
  const ExecutorInfo& info() const override { return inner().info(); }

  void submit(const StepPlan& plan, const Done& done) override {
    const StepClock::Mark begun{
        StepPart::execute, steady_clock::now(), {}, plan.segments.size(), plan.token_ids.size()};
    inner().submit(plan, [this, begun, &done](const StepResult& result) {
      auto mark = begun;
      mark.end = steady_clock::now();
      clock().add(mark);
      done(result);
    });
  }
};

class TimedSampler final : public Timed<Sampler> {
 public:
  using Timed::Timed;
  void sample(const SampleBatch& batch, SampledTokens& out) const override {
    timed(StepPart::sample, [&] { inner().sample(batch, out); });
  }
};

class TimedCache final : public Timed<KvCache> {
 public:
  using Timed::Timed;
  void reserve(const BlockRequest& request, BlockGrant& out) override {
    timed(StepPart::reserve, [&] { inner().reserve(request, out); });
  }
  CacheStats stats() const override { return inner().stats(); }
  Result<void> check() const override { return inner().check(); }
  void reset() override { inner().reset(); }
};

class TimedScheduler final : public Timed<Scheduler> {
 public:
  using Timed::Timed;
  void want(Time now, BlockRequest& out) override {
    timed(StepPart::want, [&] { inner().want(now, out); });
  }
  void plan(const BlockGrant& grant, Time now, StepPlan& out, EventSink& events) override {
    timed(StepPart::plan, [&] { inner().plan(grant, now, out, events); });
  }
  void complete(const StepResult& result, const SampledTokens& sampled, Time now,
                EventSink& events) override {
    timed(StepPart::complete, [&] { inner().complete(result, sampled, now, events); });
  }

  void admit(TokenizedRequestPtr request, Time now, EventSink& events) override {
    inner().admit(std::move(request), now, events);
  }
  void cancel(RequestId request, std::optional<Error> error, Time now, EventSink& events) override {
    inner().cancel(request, std::move(error), now, events);
  }
  bool has_work() const override { return inner().has_work(); }
  void step_lost(Time now) override { inner().step_lost(now); }
  std::optional<Time> next_deadline() const override { return inner().next_deadline(); }
  void expire(Time now, EventSink& events) override { inner().expire(now, events); }
  Journal journal() const override { return inner().journal(); }
  Result<void> restore(Journal journal, Time now) override {
    return inner().restore(std::move(journal), now);
  }
  SchedulerStats stats() const override { return inner().stats(); }
  Result<void> check() const override { return inner().check(); }
};

}  // namespace

Result<std::shared_ptr<Operator>> TimedCatalog::create(OperatorKind kind,
                                                       std::string_view name) const {
  auto object = catalog_.create(kind, name);
  if (!object) return object;
  if (kind == OperatorKind::executor)
    return std::make_shared<TimedExecutor>(std::move(*object), clock_);
  if (executor_only_) return object;
  if (kind == OperatorKind::sampler)
    return std::make_shared<TimedSampler>(std::move(*object), clock_);
  if (kind == OperatorKind::kv_cache)
    return std::make_shared<TimedCache>(std::move(*object), clock_);
  if (kind == OperatorKind::scheduler)
    return std::make_shared<TimedScheduler>(std::move(*object), clock_);
  return object;
}

}  // namespace troupe::program
