#pragma once
#include <caf/all.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe::actors {

/// One thread that runs a fixed set of CAF actors. Actors placed here stay actors (mailbox,
/// monitors, requests, supervision), but a hop between two of them is a function call and a queue
/// push, not a wake-up: five hops cost about 1 us. Stop it when its actors are down, and destroy it
/// before the system.
class StepLoop final : public caf::execution_unit {
 public:
  /// `spin`: how long the idle thread looks for work before it sleeps. Spinning pays only where a
  /// core is free for it.
  explicit StepLoop(caf::actor_system& system,
                    std::chrono::microseconds spin = std::chrono::microseconds(0));
  ~StepLoop() override;

  /// Ends the thread once its present job is done. Jobs that still wait are released unrun.
  void stop();

  /// Any thread. From the loop's own thread it is a plain push.
  void exec_later(caf::resumable* job) override;

 private:
  void run();
  void resume(caf::resumable* job);
  void take_remote();
  void wake();
  void park();
  bool spin_for_work() const;

  const std::chrono::microseconds spin_;
  std::deque<caf::resumable*> local_;
  std::mutex mutex_;
  std::vector<caf::resumable*> remote_;
  std::atomic<bool> has_remote_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> parked_{false};
  std::atomic<std::uint32_t> signal_{0};
  std::atomic<std::thread::id> thread_id_{};
  std::thread thread_;  // last: it starts when everything above exists
};

}  // namespace troupe::actors
