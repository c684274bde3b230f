#include "bench/step_clock.h"

#include <algorithm>

namespace troupe::program {
namespace {

using std::chrono::steady_clock;

/// Passes every call on and notes the time of each step.
class TimedExecutor final : public Executor {
 public:
  TimedExecutor(std::shared_ptr<Operator> inner, StepClock& clock)
      : owner_(std::move(inner)), inner_(dynamic_cast<Executor&>(*owner_)), clock_(clock) {}

  Result<void> configure(const Params& params) override { return inner_.configure(params); }
  Result<void> start(Resources& resources) override { return inner_.start(resources); }
  void stop() noexcept override { inner_.stop(); }
  const ExecutorInfo& info() const override { return inner_.info(); }

  void submit(const StepPlan& plan, const Done& done) override {
    const StepClock::Step step{
        steady_clock::now(), {}, plan.segments.size(), plan.token_ids.size()};
    inner_.submit(plan, [this, step, &done](const StepResult& result) {
      auto ended = step;
      ended.end = steady_clock::now();
      clock_.add(ended);
      done(result);
    });
  }

 private:
  std::shared_ptr<Operator> owner_;
  Executor& inner_;
  StepClock& clock_;
};

}  // namespace

std::vector<double> StepClock::gaps_us(std::size_t sequences, std::size_t skipped) const {
  const auto counts = [&](const Step& step) {
    return step.sequences == sequences && step.tokens == sequences;
  };
  std::vector<double> gaps;
  for (std::size_t i = 1; i < steps_.size(); ++i)
    if (counts(steps_[i - 1]) && counts(steps_[i]))
      gaps.push_back(
          std::chrono::duration<double, std::micro>(steps_[i].begin - steps_[i - 1].end).count());
  gaps.erase(gaps.begin(),
             gaps.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, gaps.size())));
  std::ranges::sort(gaps);
  return gaps;
}

Result<std::shared_ptr<Operator>> TimedCatalog::create(OperatorKind kind,
                                                       std::string_view name) const {
  auto object = catalog_.create(kind, name);
  if (!object || kind != OperatorKind::executor) return object;
  return std::make_shared<TimedExecutor>(std::move(*object), clock_);
}

}  // namespace troupe::program
