#pragma once
#include <functional>
#include <mutex>
#include <signal.h>
#include <thread>

namespace troupe::program {

/// Takes SIGINT and SIGTERM in place of their usual effect, for as long as it lives. Make one
/// before any other thread starts: threads take over which signals are held back. Where no file is
/// left to watch signals with, they keep their usual effect.
class SignalWatch {
 public:
  /// `count`: how many signals came since the action was set, this one included.
  using Action = std::function<void(int count)>;

  /// Without an action a signal ends the process at once with `idle_exit_code`: nothing is running
  /// that deserves better.
  explicit SignalWatch(int idle_exit_code);
  ~SignalWatch();

  /// What the next signals do; called on a thread of its own. An empty action: as at first. When
  /// this returns, the action before it is not running any more.
  void set_action(Action action);

 private:
  void watch();
  void act();

  const int idle_exit_code_;
  sigset_t old_mask_{};
  int signals_ = -1;  // signalfd
  int ending_ = -1;   // eventfd
  std::mutex mutex_;
  Action action_;
  int count_ = 0;
  std::thread thread_;
};

/// Ends the process without running destructors, whatever its other threads wait for. What was
/// printed goes out first, unless its reader has stopped: that is waited for 0.2 s.
[[noreturn]] void end_at_once(int exit_code);

}  // namespace troupe::program
