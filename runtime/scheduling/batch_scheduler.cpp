#include "troupe/scheduling/batch_scheduler.h"

#include "troupe/scheduling/events.h"

#include <algorithm>
#include <string>

namespace troupe::scheduling {

Result<void> BatchScheduler::configure(const Params& params) {
  if (auto good = options_.read(params); !good) return good;
  auto policy = make_policy(params, options_);
  if (!policy) return fail(policy.error());
  policy_ = std::move(*policy);
  options_.serves_priority = policy_->serves_priority();
  line_.set_policy(policy_.get());
  return {};
}

Result<void> BatchScheduler::start(Resources& resources) {
  const auto info = resources.executor_info();
  if (!info) return fail_at("scheduler " + name_, info.error());
  return options_.fit(*info);
}

void BatchScheduler::stop() noexcept {
  shares_.clear();
  running_.clear();
  leaving_.clear();
  deadlines_.clear();
  line_.clear();
  groups_.clear();
  buried_.clear();
  dying_.clear();
}

void BatchScheduler::enter(std::unique_ptr<Group> group) {
  group->arrival = ++arrivals_;
  line_.enter(*group);
  for (auto& sequence : group->sequences)
    sequence.id = SequenceId{++last_sequence_};
  line_up(*group);
  if (group->params().deadline) deadlines_.emplace(*group->params().deadline, group->id());
  const auto id = group->id();
  groups_.emplace(id, std::move(group));
}

void BatchScheduler::line_up(Group& group) {
  for (auto& sequence : group.sequences) {
    if (sequence.state != State::waiting) continue;
    const bool begins = group.num_output_tokens(sequence) == 0;
    if (begins && group.leader != nullptr) {
      sequence.follows = true;
      ++following_;
      continue;
    }
    if (begins) group.leader = &sequence;
    line_.push(sequence);
  }
}

void BatchScheduler::count_end(FinishReason finish, Time now) {
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

void BatchScheduler::cancel(RequestId request, std::optional<Error> error, Time now,
                            EventSink& events) {
  const auto found = groups_.find(request);
  if (found == groups_.end()) return;
  const auto finish = error ? FinishReason::error : FinishReason::cancelled;
  end(*found->second, finish, std::move(error), now, events);
}

std::optional<Time> BatchScheduler::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void BatchScheduler::expire(Time now, EventSink& events) {
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

void BatchScheduler::end(Group& group, FinishReason finish, std::optional<Error> error, Time now,
                         EventSink& events) {
  events.emit(make_end(group, finish, std::move(error), now));
  for (auto& sequence : group.sequences)
    if (sequence.state != State::finished) leave(sequence, finish);
  count_end(finish, now);
  bury(group);
}

void BatchScheduler::leave(Sequence& sequence, FinishReason finish) {
  if (sequence.state == State::running) {
    erase_running(sequence);
    const auto after = sequence.untrusted ? AfterRelease::forget : AfterRelease::share;
    leaving_.push_back({sequence.id, after, &sequence, sequence.num_computed});
    ++left_;
  } else if (sequence.follows) {
    sequence.follows = false;
    --following_;
  } else {
    line_.remove(sequence);
    head_short_of_ = 0;
    if (sequence.swapped) leaving_.push_back({sequence.id});
  }
  if (sequence.suspect_until > 0) --suspects_;
  sequence.suspect_until = 0;
  sequence.swapped = false;
  sequence.blocks.clear();
  sequence.num_computed = 0;
  sequence.state = State::finished;
  sequence.finish = finish;
  --sequence.group->num_open;
}

void BatchScheduler::bury(Group& group) {
  if (group.params().deadline) deadlines_.erase({*group.params().deadline, group.id()});
  line_.leave(group);
  auto node = groups_.extract(group.id());
  buried_.push_back(std::move(node.mapped()));
  if (!in_turn_) end_turn();
}

void BatchScheduler::end_turn() {
  in_turn_ = false;
  std::erase_if(buried_, [this](const std::unique_ptr<Group>& group) {
    return std::none_of(leaving_.begin(), leaving_.end(), [&](const Leaving& leaving) {
      return leaving.sequence != nullptr && leaving.sequence->group == group.get();
    });
  });
}

bool BatchScheduler::has_work() const {
  return !leaving_.empty() || !running_.empty() || !line_.empty();
}

SchedulerStats BatchScheduler::stats() const {
  auto stats = stats_;
  stats.waiting = line_.size() + following_;
  stats.running = static_cast<std::int64_t>(running_.size());
  return stats;
}

}  // namespace troupe::scheduling
