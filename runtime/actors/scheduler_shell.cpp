#include "troupe/actors/scheduler_shell.h"

#include <algorithm>

namespace troupe::actors {
namespace {

/// The longest a deadline, or work that could not run, waits for the next look at it. Ticks are
/// short because CAF's clock holds up a shutdown until the last one has fired.
constexpr auto kLongestTick = std::chrono::milliseconds(20);

}  // namespace

caf::behavior SchedulerShell::make_behavior() {
  return with_common({
      [this](TokenizedMessage& message) {
        requests().leave();
        on_request(std::move(message.request));
      },
      [this](const CancelMessage& message) { on_cancel(message.request); },
      [this](const GrantMessage& message) { on_grant(message.step); },
      [this](const SampledMessage& message) { on_sampled(message.step); },
      [this](const LoopLostMessage& message) { on_lost(message.gone); },
      [this](const TickMessage&) { on_tick(); },
  });
}

void SchedulerShell::emit(TokenEvent event) {
  const auto ended = event.last ? event.context : nullptr;
  events_.push_back(std::move(event));  // may find no memory: then the request must still be held
  if (ended) held_.erase(ended->id);
}

template <class Function>
bool SchedulerShell::call(Function&& function) {
  auto done = guarded([&] { function(host().as<Scheduler>()); });
  if (done) return true;
  fail_all(done.error().at(host().name()));
  abandon_step();
  send(outlets().kv_cache.actor, ResetMessage{});
  static_cast<void>(recover(done.error()));
  return false;
}

void SchedulerShell::abandon_step() {
  step_->abandoned = true;
  step_ = std::make_shared<StepState>();
  end_step();
}

void SchedulerShell::fail_all(const Error& error) {
  flush_events();
  const auto held = std::move(held_);
  held_.clear();
  for (const auto& [id, request] : held) {
    request->context->cancelled = true;
    end_request(*request, FinishReason::error, error);
  }
}

void SchedulerShell::on_request(TokenizedRequestPtr request) {
  const auto& original = request->request;
  if (original->context->cancelled) return end_request(*original, FinishReason::cancelled);
  if (gone()) return end_request(*original, FinishReason::error, gone());
  held_.emplace(original->context->id, original);
  call([&](Scheduler& scheduler) { scheduler.admit(std::move(request), now(), *this); });
  stalled_ = false;
  turn_over();
}

void SchedulerShell::on_cancel(RequestId request) {
  if (gone()) return;
  call([&](Scheduler& scheduler) { scheduler.cancel(request, std::nullopt, now(), *this); });
  stalled_ = false;
  turn_over();
}

void SchedulerShell::on_grant(const StepStatePtr& step) {
  if (step != step_ || gone()) return;
  const bool planned =
      call([&](Scheduler& scheduler) { scheduler.plan(step->grant, now(), step->plan, *this); });
  if (planned && !step->plan.empty()) {
    empty_plans_ = 0;
    flush_events();
    send(outlets().executor.actor, PlanMessage{step});
    return;
  }
  end_step();
  // Giving blocks back is progress, and a plan that came to nothing may have been given up to give
  // back some in the next turn. After two in a row nothing changes until something arrives or time
  // passes.
  empty_plans_ = step->blocks.releases.empty() ? empty_plans_ + 1 : 0;
  stalled_ = empty_plans_ >= 2;
  turn_over();
}

void SchedulerShell::on_sampled(const StepStatePtr& step) {
  if (step != step_ || gone()) return;
  call([&](Scheduler& scheduler) {
    scheduler.complete(*step->result, step->sampled, now(), *this);
  });
  end_step();
  turn_over();
}

void SchedulerShell::on_lost(const std::optional<Error>& lost) {
  if (gone()) return;
  abandon_step();
  send(outlets().kv_cache.actor, ResetMessage{});
  if (lost) {
    fail_all(*lost);
    stand_still(*lost);
    host().stop();
    return;
  }
  call([&](Scheduler& scheduler) { scheduler.step_lost(now()); });
  stalled_ = false;
  turn_over();
}

void SchedulerShell::on_tick() {
  tick_pending_ = false;
  if (gone()) return;
  call([&](Scheduler& scheduler) { scheduler.expire(now(), *this); });
  stalled_ = false;
  turn_over();
}

void SchedulerShell::turn_over() {
  flush_events();
  if (gone()) return;
  begin_step();
  request_tick();
}

void SchedulerShell::begin_step() {
  if (step_under_way_ || stalled_ || downstream_is_full()) return;
  bool work = false;
  const bool called = call([&](Scheduler& scheduler) {
    work = scheduler.has_work();
    if (work) scheduler.want(now(), step_->blocks);
  });
  if (!called || !work) return;
  step_under_way_ = true;
  send(outlets().kv_cache.actor, ReserveMessage{step_});
}

void SchedulerShell::flush_events() {
  if (events_.empty()) return;
  send_events(std::move(events_));
  events_.clear();
}

bool SchedulerShell::downstream_is_full() const {
  const auto& events = outlets().events;
  return std::any_of(events.begin(), events.end(),
                     [](const auto& entry) { return entry.second.events->is_full(); });
}

void SchedulerShell::request_tick() {
  if (tick_pending_ || gone()) return;
  std::optional<Time> deadline;
  bool waiting = false;
  call([&](Scheduler& scheduler) {
    deadline = scheduler.next_deadline();
    waiting = !step_under_way_ && scheduler.has_work();
  });
  if (!deadline && !waiting) return;
  const auto until = deadline ? *deadline - now() : kLongestTick;
  const auto delay = std::clamp<Time::duration>(until, std::chrono::milliseconds(1), kLongestTick);
  tick_pending_ = true;
  delayed_send(this, std::chrono::duration_cast<std::chrono::microseconds>(delay), TickMessage{});
}

Value SchedulerShell::stats() {
  Value stats = Shell::stats();
  if (gone()) return stats;
  const auto counts = host().as<Scheduler>().stats();
  stats.set("waiting", counts.waiting);
  stats.set("running", counts.running);
  stats.set("accepted", counts.accepted);
  stats.set("refused", counts.refused);
  stats.set("finished", counts.finished);
  stats.set("cancelled", counts.cancelled);
  stats.set("failed", counts.failed);
  stats.set("preemptions", counts.preemptions);
  stats.set("swaps", counts.swaps);
  stats.set("lost", counts.lost);
  stats.set("recomputed_tokens", counts.recomputed_tokens);
  stats.set("steps", counts.steps);
  stats.set("scheduled_tokens", counts.scheduled_tokens);
  return stats;
}

}  // namespace troupe::actors
