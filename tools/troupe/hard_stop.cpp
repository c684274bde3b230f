#include "hard_stop.h"

#include "command_line.h"
#include "signal_watch.h"

#include <algorithm>
#include <cstdio>

namespace troupe::program {

HardStop::HardStop() : thread_([this] { watch(); }) {}

HardStop::~HardStop() {
  {
    const std::lock_guard guard(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HardStop::set(std::chrono::milliseconds from_now) {
  const std::lock_guard guard(mutex_);
  at_ = std::min(at_, Clock::now() + from_now);
  changed_.notify_all();
}

void HardStop::watch() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (at_ == Clock::time_point::max()) {
      changed_.wait(lock);
    } else if (Clock::now() < at_) {
      changed_.wait_until(lock, at_);
    } else {
      std::fputs("error: ended before everything had stopped: the time for it is over\n", stderr);
      end_at_once(kRunFailed);
    }
  }
}

}  // namespace troupe::program
