#pragma once
#include <chrono>
#include <cstdint>

namespace troupe {

/// Decides how many workers of a team take part in the next run. All of them, while the cores are
/// free; fewer, while other processes use the cores: then nearly every barrier waits for a worker
/// that lost its core, for a time slice of the scheduler instead of microseconds. And fewer where a
/// run is so short that barriers are most of it. A run in which worker 0 waited for more than half
/// of the time would have been faster with half of the workers.
///
/// Smaller sizes are held for a time in proportion to what the last trial of the larger size lost,
/// so that trials cost a small share of the time however long a run is. Not thread-safe.
class TeamSize {
 public:
  using Clock = std::chrono::steady_clock;

  /// Pre: largest >= 1.
  explicit TeamSize(int largest) : largest_(largest) {}

  /// The workers of a run that starts now, 1 <= result <= largest. Each call is followed by one
  /// of report.
  int next(Clock::time_point now);

  /// The last run of next's size ended `now`, took `total`, and worker 0 waited for `waited` of it.
  void report(Clock::time_point now, Clock::duration total, Clock::duration waited);

 private:
  int at(int level) const { return largest_ >> level > 0 ? largest_ >> level : 1; }
  void shrink(Clock::time_point now, Clock::duration waited);
  void settle();

  int largest_;
  int level_ = 0;             // size = largest / 2^level
  bool trial_ = false;        // the present, larger size has not proved itself yet
  int good_runs_ = 0;         // in a row, at the present size
  std::uint32_t recent_ = 0;  // bit i: the run i runs ago at this size waited too long
  int hold_factor_ = kFirstHoldFactor;
  Clock::time_point hold_until_{};

  static constexpr int kFirstHoldFactor = 4, kLastHoldFactor = 32;
};

}  // namespace troupe
