#include "troupe/actors/executor_shell.h"

#include <atomic>
#include <utility>

namespace troupe::actors {
namespace {

/// Whether a step's completion came while submit was still running, and so needs no message.
enum class Completion : int { submitting, done, submitted };

}  // namespace

caf::behavior ExecutorShell::make_behavior() {
  return with_common({
      [this](const PlanMessage& message) { on_plan(message.step); },
      [this](const ExecutorDoneMessage& message) { on_done(message.step); },
  });
}

void ExecutorShell::on_plan(const StepStatePtr& step) {
  if (gone() || step->abandoned) return;
  if (under_way_) {  // given up by the scheduler, but not by the accelerator
    next_ = step;
    return;
  }
  under_way_ = step;
  auto completion = std::make_shared<std::atomic<Completion>>(Completion::submitting);
  auto done = [completion, step,
               self = caf::actor_cast<caf::actor>(this)](const StepResult& result) {
    step->result = &result;
    if (completion->exchange(Completion::done) == Completion::submitted)
      caf::anon_send(self, ExecutorDoneMessage{step});
  };
  auto submitted = guarded([&] { host().as<Executor>().submit(step->plan, done); });
  if (!submitted) return lost(submitted.error());
  if (completion->exchange(Completion::submitted) == Completion::done) on_done(step);
}

void ExecutorShell::on_done(const StepStatePtr& step) {
  under_way_ = nullptr;
  take_outcome(step);
  if (next_) on_plan(std::exchange(next_, nullptr));
}

void ExecutorShell::take_outcome(const StepStatePtr& step) {
  if (step->abandoned) return;
  ++steps_;
  if (!step->result->lost.empty()) {
    swap_losses_ += static_cast<std::int64_t>(step->result->lost.size());
    last_swap_loss_ = step->result->lost_reason;
  }
  if (step->result->error) {
    // The executor itself goes on; the scheduler finds out which request its step failed of.
    step->sampled.step = step->plan.step;
    step->sampled.tokens.clear();
    send(outlets().scheduler.actor, SampledMessage{step});
    return;
  }
  send(outlets().sampler.actor, LogitsMessage{step});
}

void ExecutorShell::lost(const Error& cause) {
  under_way_ = nullptr;
  auto recovered = recover(cause);
  send(outlets().scheduler.actor,
       LoopLostMessage{recovered ? std::nullopt : std::optional<Error>(recovered.error())});
}

Value ExecutorShell::stats() {
  Value stats = Shell::stats();
  stats.set("steps", steps_);
  stats.set("swap_losses", swap_losses_);
  stats.set("last_swap_loss", last_swap_loss_.empty() ? Value() : Value(last_swap_loss_));
  return stats;
}

}  // namespace troupe::actors
