// The half of ContinuousScheduler that puts a step together.
#include "admission.h"
#include "continuous.h"
#include "events.h"
#include "troupe/core/block_math.h"

#include <algorithm>
#include <string>

namespace troupe::continuous {
namespace {

/// For a sequence that has the pool to itself, so that waiting would not help.
Error no_room(const Sequence& sequence, std::int32_t short_of_blocks) {
  return Error(ErrorCode::resource_exhausted,
               "the KV cache lacks " + std::to_string(short_of_blocks) + " blocks for " +
                   std::to_string(sequence.num_tokens()) + " tokens, with nothing else running");
}

}  // namespace

void ContinuousScheduler::want(Time now, BlockRequest& out) {
  static_cast<void>(now);
  TROUPE_CHECK(!under_way_);
  buried_.clear();
  shares_.clear();
  out.clear();
  out.step = StepId{static_cast<std::uint64_t>(stats_.steps) + 1};
  out.releases.assign(releases_.begin(), releases_.end());
  releases_.clear();
  budget_ = options_.max_batch_tokens;
  share_out(out);
}

void ContinuousScheduler::share_out(BlockRequest& out) {
  if (Sequence* suspect = first_suspect())
    return add_share(*suspect, options_.prefill_chunk, suspect->state == State::waiting, out);
  for (Sequence* sequence : running_)
    if (sequence->num_uncomputed() == 1) add_share(*sequence, 1, false, out);
  for (Sequence* sequence : running_)
    if (sequence->num_uncomputed() > 1) add_share(*sequence, options_.prefill_chunk, false, out);
  auto room = options_.max_num_seqs - static_cast<std::int64_t>(running_.size());
  for (Sequence* sequence : waiting_) {
    if (room-- <= 0 || budget_ == 0 || !may_return(*sequence)) break;
    add_share(*sequence, options_.prefill_chunk, true, out);
    if (head_blocked_) break;
  }
}

void ContinuousScheduler::add_share(Sequence& sequence, std::int32_t most, bool admission,
                                    BlockRequest& out) {
  Share share;
  share.sequence = &sequence;
  share.admission = admission;
  share.num_tokens =
      static_cast<std::int32_t>(std::min<std::int64_t>({sequence.num_uncomputed(), most, budget_}));
  if (share.num_tokens == 0) return;
  budget_ -= share.num_tokens;
  share.asked =
      blocks_for(sequence.num_tokens()) > static_cast<std::int64_t>(sequence.blocks.size());
  if (share.asked) out.wants.push_back(make_want(sequence, admission));
  shares_.push_back(share);
}

bool ContinuousScheduler::may_return(const Sequence& sequence) const {
  return sequence.preempted_at < left_ || running_.empty();
}

Sequence* ContinuousScheduler::first_suspect() {
  if (suspects_ == 0) return nullptr;
  const auto is_suspect = [](const Sequence* sequence) { return sequence->suspect_until > 0; };
  const auto running = std::find_if(running_.begin(), running_.end(), is_suspect);
  if (running != running_.end()) return *running;
  return *std::find_if(waiting_.begin(), waiting_.end(), is_suspect);
}

void ContinuousScheduler::plan(const BlockGrant& grant, Time now, StepPlan& out,
                               EventSink& events) {
  out.clear();
  out.step = grant.step;
  short_of_ = 0;
  bool line_stops = false;  // the first that found no room holds its place before those behind it
  std::size_t next = 0;
  for (auto& share : shares_) {
    if (!share.asked) continue;
    TROUPE_CHECK(next < grant.grants.size());
    const auto& answer = grant.grants[next++];
    TROUPE_CHECK(answer.sequence == share.sequence->id);
    if (share.admission && line_stops) {
      refuse_grant(share, answer);
    } else if (!take_grant(share, answer, now, events) && share.admission) {
      line_stops = share.sequence->state == State::waiting;
    }
  }
  head_blocked_ = line_stops;
  if (short_of_ > 0) make_room(now, events);
  out.copies = grant.copies;
  out.swap_outs = grant.swap_outs;
  out.swap_ins = grant.swap_ins;
  std::erase_if(shares_, [](const Share& share) {
    return share.num_tokens == 0 || share.sequence->state != State::running;
  });
  for (auto& share : shares_) {
    append_segment(share, out);
    auto& first = share.sequence->group->first_scheduled;
    if (!first) first = now;
  }
  under_way_ = !out.empty();
  stats_.steps += under_way_ ? 1 : 0;
  stats_.scheduled_tokens += static_cast<std::int64_t>(out.token_ids.size());
}

bool ContinuousScheduler::take_grant(Share& share, const BlockGrant::Grant& grant, Time now,
                                     EventSink& events) {
  Sequence& sequence = *share.sequence;
  if (sequence.state == State::finished) {  // another choice of its request ended it in this turn
    refuse_grant(share, grant);
    return false;
  }
  Group& group = *sequence.group;
  if (share.admission && (sequence.condemned || group.params().context->cancelled)) {
    refuse_grant(share, grant);
    const auto finish = sequence.condemned ? FinishReason::error : FinishReason::cancelled;
    end(group, finish, sequence.condemned, now, events);
    return false;
  }
  if (grant.short_of_blocks > 0) {
    share.num_tokens = 0;
    share.short_of = grant.short_of_blocks;
    if (share.admission && running_.empty() && releases_.empty()) {
      end(group, FinishReason::error, no_room(sequence, grant.short_of_blocks), now, events);
    } else if (!share.admission || sequence.suspect_until > 0) {
      short_of_ += grant.short_of_blocks;
    }
    return false;
  }
  if (share.admission) {
    start_running(sequence);
    TROUPE_CHECK(grant.num_cached_tokens < sequence.num_tokens());
    sequence.num_computed = grant.num_cached_tokens;
    if (!group.first_scheduled && group.cached_tokens == 0)
      group.cached_tokens = grant.num_cached_tokens;
    share.num_tokens = std::min(share.num_tokens, sequence.num_uncomputed());
  }
  sequence.blocks.insert(sequence.blocks.end(), grant.new_blocks.begin(), grant.new_blocks.end());
  return true;
}

void ContinuousScheduler::refuse_grant(Share& share, const BlockGrant::Grant& grant) {
  share.num_tokens = 0;
  if (grant.short_of_blocks == 0) releases_.push_back({grant.sequence});
}

void ContinuousScheduler::start_running(Sequence& sequence) {
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &sequence));
  running_.insert(std::upper_bound(running_.begin(), running_.end(), &sequence, arrived_before),
                  &sequence);
  sequence.state = State::running;
  sequence.preempted_at = -1;
}

void ContinuousScheduler::make_room(Time now, EventSink& events) {
  while (short_of_ > 0 && !running_.empty()) {
    Sequence& last = *running_.back();
    const auto stalled = std::find_if(shares_.begin(), shares_.end(), [&](const Share& share) {
      return share.sequence == &last && share.short_of > 0;
    });
    if (stalled != shares_.end()) {
      if (running_.size() == 1) {
        // Alone: what others gave back in this turn is room enough, or nothing ever will be.
        if (releases_.empty())
          end(*last.group, FinishReason::error, no_room(last, stalled->short_of), now, events);
        return;
      }
      short_of_ -= stalled->short_of;
    }
    short_of_ -= static_cast<std::int64_t>(last.blocks.size());
    preempt(last, true);
    ++stats_.preemptions;
  }
}

void ContinuousScheduler::preempt(Sequence& sequence, bool for_room) {
  running_.erase(std::find(running_.begin(), running_.end(), &sequence));
  releases_.push_back({sequence.id});
  waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), &sequence, arrived_before),
                  &sequence);
  sequence.state = State::waiting;
  sequence.blocks.clear();
  sequence.num_computed = 0;
  sequence.preempted_at = for_room ? left_ : -1;
}

}  // namespace troupe::continuous
