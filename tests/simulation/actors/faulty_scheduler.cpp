#include "clients.h"
#include "faulty_operators.h"
#include "troupe/api/scheduler.h"

#include <utility>

namespace troupe::simulation {
namespace {

/// Turns without a step, though there is work and nothing was given back, before that is wrong.
constexpr int kMostEmptyPlans = 3;

class FaultyScheduler final : public Faulty<Scheduler> {
 public:
  using Faulty::Faulty;
  ~FaultyScheduler() override {
    if (loop_ && loop_->scheduler == inner_.get()) loop_->scheduler = nullptr;
  }
  Result<void> start(Resources& resources) override {
    auto started = Faulty::start(resources);
    if (!started) return started;
    loop_ = &world_.loop_of(resources.executor_info().value());
    loop_->scheduler = inner_.get();
    loop_->empty_plans = 0;
    return {};
  }

  void admit(TokenizedRequestPtr request, Time now, EventSink& events) override {
    call([&] { inner_->admit(std::move(request), now, events); });
  }
  void cancel(RequestId request, std::optional<Error> error, Time now, EventSink& events) override {
    call([&] { inner_->cancel(request, std::move(error), now, events); });
  }
  bool has_work() const override { return inner_->has_work(); }
  void want(Time now, BlockRequest& out) override {
    call([&] { inner_->want(now, out); });
    gave_back_ = !out.releases.empty();
  }
  void plan(const BlockGrant& grant, Time now, StepPlan& out, EventSink& events) override {
    const auto before = num_held();
    call([&] { inner_->plan(grant, now, out, events); });
    if (!out.empty() || gave_back_ || num_held() != before)
      loop_->empty_plans = 0;
    else if (inner_->has_work() && ++loop_->empty_plans > kMostEmptyPlans)
      world_.wrong("turns without a step while there is work");
  }
  void complete(const StepResult& result, const SampledTokens& sampled, Time now,
                EventSink& events) override {
    call([&] { inner_->complete(result, sampled, now, events); });
  }
  void step_lost(Time now) override {
    call([&] { inner_->step_lost(now); });
  }
  std::optional<Time> next_deadline() const override { return inner_->next_deadline(); }
  void expire(Time now, EventSink& events) override {
    const auto before = num_held();
    call([&] { inner_->expire(now, events); });
    if (num_held() != before) world_.something_happens();
  }
  Journal journal() const override { return inner_->journal(); }
  Result<void> restore(Journal journal, Time now) override {
    return inner_->restore(std::move(journal), now);
  }
  SchedulerStats stats() const override { return inner_->stats(); }
  Result<void> check() const override { return inner_->check(); }

 private:
  std::int64_t num_held() const {
    const auto stats = inner_->stats();
    return stats.waiting + stats.running;
  }
  template <class Function>
  void call(Function&& function) {
    const auto fault = loop_->finish_step ? Fault::gives_up_late_step : Fault::scheduler_throws;
    world_.call(fault, world_.clients->num_open(), function);
    if (auto good = inner_->check(); !good) world_.wrong(good.error().message());
  }

  Loop* loop_ = nullptr;
  bool gave_back_ = false;
};

}  // namespace

std::shared_ptr<Operator> faulty_scheduler(World& world, std::shared_ptr<Operator> inner) {
  return std::make_shared<FaultyScheduler>(world, inner);
}

}  // namespace troupe::simulation
