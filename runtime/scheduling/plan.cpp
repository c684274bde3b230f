// The part of BatchScheduler that makes the step from what the cache granted.
#include "troupe/api/check.h"
#include "troupe/core/block_math.h"
#include "troupe/scheduling/batch_scheduler.h"
#include "troupe/scheduling/events.h"

#include <algorithm>
#include <string>

namespace troupe::scheduling {
namespace {

void take_blocks(Sequence& sequence, const BlockGrant::Grant& grant) {
  sequence.blocks.insert(sequence.blocks.end(), grant.new_blocks.begin(), grant.new_blocks.end());
  for (; sequence.first_held < grant.first_held_block; ++sequence.first_held)
    sequence.blocks[static_cast<std::size_t>(sequence.first_held)] = kNoBlock;
}

}  // namespace

void BatchScheduler::plan(const BlockGrant& grant, Time now, StepPlan& out, EventSink& events) {
  out.clear();
  out.step = grant.step;
  room_may_come_ = !grant.copies.empty() || !grant.swap_outs.empty() || !grant.swap_ins.empty();
  dying_.clear();  // the cache has answered: nothing speaks of them any more
  take_grants(grant, now, events);
  if (short_of_ > 0) make_room(now, events);
  out.copies = grant.copies;
  out.swap_outs = grant.swap_outs;
  out.swap_ins = grant.swap_ins;
  std::erase_if(shares_, [](const Share& share) {
    return share.num_tokens == 0 || share.sequence->state != State::running;
  });
  step_ = {};
  for (auto& share : shares_) {
    append_segment(share, out);
    (share.prefill ? step_.prefill_tokens : step_.decode_tokens) += share.num_tokens;
    auto& first = share.sequence->group->first_scheduled;
    if (!first) first = now;
  }
  step_.swapped_blocks = static_cast<std::int64_t>(out.swap_outs.size() + out.swap_ins.size());
  under_way_ = !out.empty();
  if (!under_way_) end_turn();
  stats_.steps += under_way_ ? 1 : 0;
  stats_.scheduled_tokens += static_cast<std::int64_t>(out.token_ids.size());
}

void BatchScheduler::take_grants(const BlockGrant& grant, Time now, EventSink& events) {
  short_of_ = 0;
  head_short_of_ = 0;  // the first that finds no room holds its place before those behind it
  std::size_t next = 0;
  for (auto& share : shares_) {
    if (!share.asked) continue;
    TROUPE_CHECK(next < grant.grants.size());
    const auto& answer = grant.grants[next++];
    TROUPE_CHECK(answer.sequence == share.sequence->id);
    if (share.admission && head_short_of_ > 0) {
      refuse_grant(share, answer);
    } else if (!take_grant(share, answer, now, events) && share.admission &&
               share.sequence->state == State::waiting) {
      head_short_of_ = answer.short_of_blocks;
      policy_->no_room();
    }
  }
}

bool BatchScheduler::take_grant(Share& share, const BlockGrant::Grant& grant, Time now,
                                EventSink& events) {
  if (is_refused(share, grant, now, events)) return false;
  Sequence& sequence = *share.sequence;
  if (grant.short_of_blocks > 0) {
    share.num_tokens = 0;
    share.short_of = grant.short_of_blocks;
    if (share.admission && running_.empty() && leaving_.empty() && !room_may_come_) {
      end(*sequence.group, FinishReason::error, no_room(sequence, grant.short_of_blocks), now,
          events);
    } else if (!share.admission || sequence.suspect_until > 0) {
      short_of_ += grant.short_of_blocks;
    }
    return false;
  }
  if (share.admission) {
    start_running(sequence, grant.num_cached_tokens);
    share.num_tokens = std::min(share.num_tokens, sequence.num_uncomputed());
  }
  take_blocks(sequence, grant);
  // With a window, what was taken over may go beyond what was asked for, up to the last slot.
  const auto room = tokens_in(static_cast<std::int64_t>(sequence.blocks.size()));
  share.num_tokens = static_cast<std::int32_t>(
      std::min<std::int64_t>(share.num_tokens, room - sequence.num_computed));
  return true;
}

bool BatchScheduler::is_refused(Share& share, const BlockGrant::Grant& grant, Time now,
                                EventSink& events) {
  Sequence& sequence = *share.sequence;
  Group& group = *sequence.group;
  if (sequence.state == State::finished) {  // its request ended in this turn
    refuse_grant(share, grant);
    return true;
  }
  if (!share.admission || !(sequence.condemned || group.params().context->cancelled)) return false;
  refuse_grant(share, grant);
  const auto finish = sequence.condemned ? FinishReason::error : FinishReason::cancelled;
  end(group, finish, sequence.condemned, now, events);
  return true;
}

void BatchScheduler::refuse_grant(Share& share, const BlockGrant::Grant& grant) {
  share.num_tokens = 0;
  if (grant.short_of_blocks > 0) return;
  share.sequence->swapped = false;  // it came back to the device, and goes from there
  leaving_.push_back({grant.sequence});
}

void BatchScheduler::start_running(Sequence& sequence, std::int32_t num_cached) {
  TROUPE_CHECK(num_cached < sequence.num_tokens());
  line_.remove(sequence);
  running_.insert(std::upper_bound(running_.begin(), running_.end(), &sequence, ServedBefore()),
                  &sequence);
  sequence.state = State::running;
  sequence.preempted_at = -1;
  sequence.swapped = false;
  sequence.untrusted = false;
  sequence.num_computed = num_cached;
  sequence.num_published = num_cached;
  sequence.first_held = 0;
  Group& group = *sequence.group;
  if (!group.first_scheduled && group.cached_tokens == 0) group.cached_tokens = num_cached;
  policy_->started(sequence);
}

}  // namespace troupe::scheduling
