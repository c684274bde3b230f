#include "continuous.h"

#include "admission.h"
#include "events.h"
#include "troupe/api/plugin.h"

#include <algorithm>
#include <string>

namespace troupe::continuous {

Result<void> ContinuousScheduler::start(Resources& resources) {
  const auto info = resources.executor_info();
  if (!info) return fail_at("scheduler continuous", info.error());
  return options_.fit(*info);
}

void ContinuousScheduler::stop() noexcept {
  shares_.clear();
  waiting_.clear();
  running_.clear();
  releases_.clear();
  deadlines_.clear();
  groups_.clear();
  buried_.clear();
}

void ContinuousScheduler::admit(TokenizedRequestPtr request, Time now, EventSink& events) {
  auto good = check_request(*request, options_, now);
  if (good && groups_.contains(request->request->context->id))
    good =
        fail(ErrorCode::invalid_argument,
             "request " + std::to_string(request->request->context->id.value) + " is already here");
  if (!good) {
    ++stats_.refused;
    events.emit(make_refusal(*request, good.error(), 0, now));
    return;
  }
  const auto would_wait = static_cast<std::int64_t>(waiting_.size()) + request->request->n;
  if (would_wait > options_.max_waiting && request->request->stop.max_tokens != 0) {
    ++stats_.refused;
    Error full(ErrorCode::resource_exhausted,
               "the queue is full: " + std::to_string(waiting_.size()) +
                   " sequences wait, at most " + std::to_string(options_.max_waiting) +
                   " may; try again later");
    events.emit(make_refusal(*request, std::move(full), retry_after_ms(), now));
    return;
  }
  ++stats_.accepted;
  auto group = make_group(std::move(request), options_);
  if (group->params().stop.max_tokens == 0) {  // asks for no token: answered without a step
    ++stats_.finished;
    events.emit(make_end(*group, FinishReason::length, std::nullopt, now));
    return;
  }
  enter(std::move(group));
}

void ContinuousScheduler::enter(std::unique_ptr<Group> group) {
  group->arrival = ++arrivals_;
  for (auto& sequence : group->sequences) {
    sequence.id = SequenceId{++last_sequence_};
    if (sequence.state == State::waiting) waiting_.push_back(&sequence);
  }
  if (group->params().deadline) deadlines_.emplace(*group->params().deadline, group->id());
  const auto id = group->id();
  groups_.emplace(id, std::move(group));
}

double ContinuousScheduler::retry_after_ms() const {
  constexpr double kUnknown = 1000;
  return ms_per_end_ > 0 ? std::clamp(ms_per_end_, 1.0, 60000.0) : kUnknown;
}

void ContinuousScheduler::count_end(FinishReason finish, Time now) {
  if (finish == FinishReason::cancelled) {
    ++stats_.cancelled;
  } else if (finish == FinishReason::error) {
    ++stats_.failed;
  } else {
    ++stats_.finished;
  }
  if (last_end_) {
    const double ms = ms_between(*last_end_, now);
    ms_per_end_ = ms_per_end_ == 0 ? ms : 0.9 * ms_per_end_ + 0.1 * ms;
  }
  last_end_ = now;
}

void ContinuousScheduler::cancel(RequestId request, std::optional<Error> error, Time now,
                                 EventSink& events) {
  const auto found = groups_.find(request);
  if (found == groups_.end()) return;
  const auto finish = error ? FinishReason::error : FinishReason::cancelled;
  end(*found->second, finish, std::move(error), now, events);
}

std::optional<Time> ContinuousScheduler::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void ContinuousScheduler::expire(Time now, EventSink& events) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    Group& group = *groups_.at(deadlines_.begin()->second);
    std::size_t made = 0;
    for (const auto& sequence : group.sequences)
      made += group.num_output_tokens(sequence);
    const auto after = static_cast<std::int64_t>(ms_between(group.params().context->arrived, now));
    Error late(ErrorCode::deadline,
               "the deadline passed after " + std::to_string(after) + " ms " +
                   (group.first_scheduled ? "with " + std::to_string(made) + " tokens made"
                                          : std::string("in the queue")));
    end(group, FinishReason::error, std::move(late), now, events);
  }
}

void ContinuousScheduler::end(Group& group, FinishReason finish, std::optional<Error> error,
                              Time now, EventSink& events) {
  events.emit(make_end(group, finish, std::move(error), now));
  for (auto& sequence : group.sequences)
    if (sequence.state != State::finished) leave(sequence, finish);
  count_end(finish, now);
  bury(group);
}

void ContinuousScheduler::leave(Sequence& sequence, FinishReason finish) {
  if (sequence.state == State::running) {
    running_.erase(std::find(running_.begin(), running_.end(), &sequence));
    releases_.push_back({sequence.id});
    ++left_;
  } else {
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &sequence));
    head_blocked_ = false;
  }
  if (sequence.suspect_until > 0) --suspects_;
  sequence.suspect_until = 0;
  sequence.blocks.clear();
  sequence.num_computed = 0;
  sequence.state = State::finished;
  sequence.finish = finish;
  --sequence.group->num_open;
}

void ContinuousScheduler::bury(Group& group) {
  if (group.params().deadline) deadlines_.erase({*group.params().deadline, group.id()});
  auto node = groups_.extract(group.id());
  buried_.push_back(std::move(node.mapped()));
}

bool ContinuousScheduler::has_work() const {
  return !releases_.empty() || !running_.empty() || !waiting_.empty();
}

SchedulerStats ContinuousScheduler::stats() const {
  auto stats = stats_;
  stats.waiting = static_cast<std::int64_t>(waiting_.size());
  stats.running = static_cast<std::int64_t>(running_.size());
  return stats;
}

namespace {

constexpr OperatorSpec kSpec = make_operator<ContinuousScheduler, OperatorKind::scheduler>(
    "continuous", "continuous batching in order of arrival, with chunked prefill and preemption",
    "Yu et al., Orca, OSDI 2022; Agrawal et al., Sarathi-Serve, OSDI 2024", kParams);

}  // namespace
}  // namespace troupe::continuous

TROUPE_PLUGIN(scheduler, continuous, troupe::continuous::kSpec)
