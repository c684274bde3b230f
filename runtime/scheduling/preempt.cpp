// The part of BatchScheduler that stops running sequences, to go on later.
#include "troupe/core/block_math.h"
#include "troupe/scheduling/batch_scheduler.h"
#include "troupe/scheduling/events.h"

#include <algorithm>
#include <string>

namespace troupe::scheduling {
namespace {

/// Bytes that are moved in a microsecond, until it was measured: a modest memory bus.
constexpr double kAssumedBytesPerUs = 4000;

std::int64_t held_blocks(const Sequence& sequence) {
  return static_cast<std::int64_t>(sequence.blocks.size()) - sequence.first_held;
}

}  // namespace

void BatchScheduler::make_room(Time now, EventSink& events) {
  while (short_of_ > 0 && !running_.empty()) {
    Sequence& last = next_to_go();
    const auto stalled = std::find_if(shares_.begin(), shares_.end(), [&](const Share& share) {
      return share.sequence == &last && share.short_of > 0;
    });
    if (stalled != shares_.end()) {
      if (running_.size() == 1) {
        // Alone: what others gave back in this turn is room enough, or nothing ever will be.
        if (leaving_.empty() && !room_may_come_)
          end(*last.group, FinishReason::error, no_room(last, stalled->short_of), now, events);
        return;
      }
      short_of_ -= stalled->short_of;
    }
    short_of_ -= held_blocks(last);
    preempt(last, Cause::room);
    ++stats_.preemptions;
  }
}

/// The last in order that is not under suspicion: a suspect runs alone, while all others stand
/// still on their blocks. Were it the one to go, it would come back at once and meet them again,
/// for ever.
Sequence& BatchScheduler::next_to_go() const {
  if (suspects_ > 0)
    for (auto last = running_.rbegin(); last != running_.rend(); ++last)
      if ((*last)->suspect_until == 0) return **last;
  return *running_.back();
}

bool BatchScheduler::swap_is_cheaper(const Sequence& sequence) const {
  if (options_.num_swap_slots == 0 || sequence.num_computed == 0) return false;
  if (options_.preemption != Preemption::automatic) return options_.preemption == Preemption::swap;
  const auto token_us = cost_.prefill_us_per_token();
  if (!token_us) return false;
  const double block_us = cost_.swap_us_per_block().value_or(
      static_cast<double>(options_.kv_bytes_per_token * kBlockSize) / kAssumedBytesPerUs);
  const double there_and_back = 2 * block_us * static_cast<double>(held_blocks(sequence));
  return there_and_back < *token_us * sequence.num_computed;
}

void BatchScheduler::preempt(Sequence& sequence, Cause cause) {
  erase_running(sequence);
  auto after = AfterRelease::share;
  if (sequence.untrusted) {
    after = AfterRelease::forget;
  } else if (cause == Cause::room && swap_is_cheaper(sequence)) {
    after = AfterRelease::swap;
    sequence.swapped = true;
    ++stats_.swaps;
  }
  leaving_.push_back({sequence.id, after, &sequence, sequence.num_computed});
  line_.push(sequence);
  sequence.state = State::waiting;
  sequence.blocks.clear();
  sequence.first_held = 0;
  sequence.num_computed = 0;
  sequence.preempted_at = cause == Cause::room ? left_ : -1;
}

void BatchScheduler::erase_running(Sequence& sequence) {
  running_.erase(std::lower_bound(running_.begin(), running_.end(), &sequence, ServedBefore()));
}

}  // namespace troupe::scheduling
