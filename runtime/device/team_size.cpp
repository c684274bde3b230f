#include "troupe/device/team_size.h"

#include <algorithm>
#include <bit>

namespace troupe {
namespace {

// Less is not worth a change: a wake from sleep costs as much.
constexpr auto kShortWait = std::chrono::microseconds(20);
constexpr TeamSize::Clock::duration kLongestHold = std::chrono::seconds(2);
constexpr std::uint32_t kLastRuns = 0b1111;
constexpr int kBadOfLastRuns = 2;
constexpr int kGoodRunsOfTrial = 8;

bool waited_too_long(TeamSize::Clock::duration total, TeamSize::Clock::duration waited) {
  return waited > kShortWait && waited > total / 2;
}

}  // namespace

int TeamSize::next(Clock::time_point now) {
  if (level_ > 0 && !trial_ && now >= hold_until_) {
    --level_;
    trial_ = true;
    good_runs_ = 0;
    recent_ = 0;
  }
  return at(level_);
}

void TeamSize::report(Clock::time_point now, Clock::duration total, Clock::duration waited) {
  const bool bad = waited_too_long(total, waited);
  recent_ = (recent_ << 1 | (bad ? 1u : 0u)) & kLastRuns;
  good_runs_ = bad ? 0 : std::min(good_runs_ + 1, kGoodRunsOfTrial);
  // On trial one bad run is enough: what it fell back from was as bad a moment ago.
  if (at(level_) > 1 && bad && (trial_ || std::popcount(recent_) >= kBadOfLastRuns))
    shrink(now, waited);
  else if (trial_ && good_runs_ == kGoodRunsOfTrial)
    settle();
}

void TeamSize::shrink(Clock::time_point now, Clock::duration waited) {
  if (trial_) hold_factor_ = std::min(2 * hold_factor_, kLastHoldFactor);
  ++level_;
  trial_ = false;
  good_runs_ = 0;
  recent_ = 0;
  hold_until_ = now + std::min(waited * hold_factor_, kLongestHold);
}

void TeamSize::settle() {
  trial_ = false;
  hold_factor_ = kFirstHoldFactor;
}

}  // namespace troupe
