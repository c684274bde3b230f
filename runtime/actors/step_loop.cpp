#include "troupe/actors/step_loop.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace troupe::actors {
namespace {

/// Messages an actor may handle before the next one gets its turn.
constexpr std::size_t kMaxThroughput = 50;

}  // namespace

StepLoop::StepLoop(caf::actor_system& system, std::chrono::microseconds spin)
    : caf::execution_unit(&system), spin_(spin), thread_([this] { run(); }) {}

StepLoop::~StepLoop() {
  stop();
}

void StepLoop::stop() {
  if (!thread_.joinable()) return;
  stop_.store(true);
  wake();
  thread_.join();
  take_remote();
  for (auto* job : local_)
    caf::intrusive_ptr_release(job);
  local_.clear();
}

void StepLoop::exec_later(caf::resumable* job) {
  if (std::this_thread::get_id() == thread_id_.load(std::memory_order_relaxed)) {
    local_.push_back(job);
    return;
  }
  {
    const std::lock_guard guard(mutex_);
    remote_.push_back(job);
    has_remote_.store(true, std::memory_order_release);
  }
  wake();
}

void StepLoop::wake() {
  signal_.fetch_add(1, std::memory_order_seq_cst);
  if (parked_.load(std::memory_order_seq_cst))
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&signal_), FUTEX_WAKE_PRIVATE, 1, nullptr,
            nullptr, 0);
}

void StepLoop::take_remote() {
  std::vector<caf::resumable*> jobs;
  {
    const std::lock_guard guard(mutex_);
    jobs.swap(remote_);
    has_remote_.store(false, std::memory_order_release);
  }
  local_.insert(local_.end(), jobs.begin(), jobs.end());
}

void StepLoop::resume(caf::resumable* job) {
  switch (job->resume(this, kMaxThroughput)) {
    case caf::resumable::resume_later:
      local_.push_back(job);
      break;  // keeps its reference
    case caf::resumable::done:
    case caf::resumable::awaiting_message:
      caf::intrusive_ptr_release(job);
      break;
    case caf::resumable::shutdown_execution_unit:
      stop_.store(true);
      break;
  }
}

bool StepLoop::spin_for_work() const {
  if (spin_.count() == 0) return false;
  const auto until = std::chrono::steady_clock::now() + spin_;
  while (std::chrono::steady_clock::now() < until)
    if (has_remote_.load(std::memory_order_acquire) || stop_.load(std::memory_order_relaxed))
      return true;
  return false;
}

void StepLoop::park() {
  const auto seen = signal_.load(std::memory_order_seq_cst);
  parked_.store(true, std::memory_order_seq_cst);
  // Whoever pushes after this check changes the signal, and then the wait returns at once.
  if (!has_remote_.load(std::memory_order_seq_cst) && !stop_.load())
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&signal_), FUTEX_WAIT_PRIVATE, seen,
            nullptr, nullptr, 0);
  parked_.store(false, std::memory_order_seq_cst);
}

void StepLoop::run() {
  thread_id_.store(std::this_thread::get_id());
  while (!stop_.load(std::memory_order_acquire)) {
    if (has_remote_.load(std::memory_order_acquire)) take_remote();
    if (!local_.empty()) {
      auto* job = local_.front();
      local_.pop_front();
      resume(job);
    } else if (!spin_for_work()) {
      park();
    }
  }
}

}  // namespace troupe::actors
