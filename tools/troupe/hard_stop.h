#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace troupe::program {

/// Ends the process with kRunFailed at a time that is set, unless it is destroyed before: for an
/// ending that waits for others' code and may not wait for ever.
class HardStop {
 public:
  HardStop();
  ~HardStop();
  HardStop(const HardStop&) = delete;
  HardStop& operator=(const HardStop&) = delete;

  /// The process ends so long from now, if it was not to end sooner. Any thread.
  void set(std::chrono::milliseconds from_now);

 private:
  using Clock = std::chrono::steady_clock;
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point at_ = Clock::time_point::max();
  bool over_ = false;
  std::thread thread_;
};

}  // namespace troupe::program
