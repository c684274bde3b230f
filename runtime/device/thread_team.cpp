#include "troupe/device/thread_team.h"

#include "troupe/api/check.h"
#include "troupe/device/team_size.h"

#include <atomic>
#include <chrono>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace troupe {
namespace {

using Clock = TeamSize::Clock;

constexpr Clock::duration kSpin = std::chrono::microseconds(200);
constexpr int kWorkerBits = 11;  // hold 1024 and less

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, nullptr,
          nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 1 << 30, nullptr,
          nullptr, 0);
}

/// A counter that threads wait on.
struct Signal {
  alignas(64) std::atomic<std::uint32_t> word{0};
  std::atomic<std::uint32_t> sleepers{0};

  void set(std::uint32_t value) {
    word.store(value, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0) futex_wake_all(word);
  }

  /// Sleeps until the word differs from `seen`.
  void sleep(std::uint32_t seen) {
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    while (word.load(std::memory_order_seq_cst) == seen)
      futex_wait(word, seen);
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
  }

  /// Waits until the word differs from `seen`: spins first, with a yield now and then for the case
  /// that there are more threads than cores, then sleeps. Returns the time that took.
  Clock::duration wait(std::uint32_t seen) {
    const auto start = Clock::now();
    for (int round = 0;; ++round) {
      if (word.load(std::memory_order_acquire) != seen) return Clock::now() - start;
      pause_cpu();
      if (round % 64 == 63) {
        std::this_thread::yield();
        if (Clock::now() - start > kSpin) break;
      }
    }
    sleep(seen);
    return Clock::now() - start;
  }
};

}  // namespace

struct ThreadTeam::State {
  explicit State(int count) : num_threads(count), size(count) {}

  void serve(ThreadTeam& team, int worker);
  void start(int workers);

  const int num_threads;
  Signal run;    // the workers of the run in the low kWorkerBits, above them the number of the run
  Signal phase;  // a change opens the barrier
  alignas(64) std::atomic<std::uint32_t> arrived{0};  // workers at the present barrier
  alignas(64) std::atomic<std::int64_t> chunk{0};
  alignas(64) int active = 1;  // workers of the present run
  int fixed = 0;
  TeamSize size;
  std::thread::id caller;
  Clock::duration waited{};  // by the caller, in the present run
  void (*call)(const void*, int) = nullptr;
  const void* function = nullptr;
  bool stopping = false;
  std::vector<std::thread> threads;
};

/// A worker that takes part in a run sees its word before the next run starts; one that does not
/// may miss words, even a full turn of the run's number: an equal word does not concern it either.
void ThreadTeam::State::serve(ThreadTeam& team, int worker) {
  constexpr std::uint32_t kWorkers = (1u << kWorkerBits) - 1;
  std::uint32_t seen = 0;
  for (bool takes_part = true;;) {
    // A worker that is not needed must not take the core from one that is.
    if (takes_part)
      run.wait(seen);
    else
      run.sleep(seen);
    seen = run.word.load(std::memory_order_acquire);
    takes_part = worker < static_cast<int>(seen & kWorkers);
    if (!takes_part) continue;
    if (stopping) return;
    call(function, worker);
    team.barrier();
  }
}

void ThreadTeam::State::start(int workers) {
  active = workers;
  if (workers == 1) return;
  const std::uint32_t number = (run.word.load(std::memory_order_relaxed) >> kWorkerBits) + 1;
  run.set(number << kWorkerBits | static_cast<std::uint32_t>(workers));
}

ThreadTeam::ThreadTeam(int num_threads) : state_(std::make_unique<State>(num_threads)) {
  TROUPE_CHECK(num_threads >= 1 && num_threads <= 1024);
  for (int worker = 1; worker < num_threads; ++worker)
    state_->threads.emplace_back([this, worker] { state_->serve(*this, worker); });
}

ThreadTeam::~ThreadTeam() {
  state_->stopping = true;
  state_->start(state_->num_threads);
  for (auto& thread : state_->threads)
    thread.join();
}

int ThreadTeam::size() const {
  return state_->num_threads;
}

void ThreadTeam::fix_workers(int workers) {
  TROUPE_CHECK(workers >= 0 && workers <= state_->num_threads);
  state_->fixed = workers;
}

void ThreadTeam::barrier() {
  State& state = *state_;
  // Read before the arrival: after it the others may end this run, and worker 0 start the next.
  const auto active = static_cast<std::uint32_t>(state.active);
  const bool measured = std::this_thread::get_id() == state.caller;
  if (active == 1) {
    state.chunk.store(0, std::memory_order_relaxed);
    return;
  }
  const std::uint32_t phase = state.phase.word.load(std::memory_order_acquire);
  if (state.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == active) {
    state.arrived.store(0, std::memory_order_relaxed);
    state.chunk.store(0, std::memory_order_relaxed);
    state.phase.set(phase + 1);
    return;
  }
  const auto waited = state.phase.wait(phase);
  if (measured) state.waited += waited;
}

std::int64_t ThreadTeam::next_chunk(std::int64_t num_chunks) {
  const auto chunk = state_->chunk.fetch_add(1, std::memory_order_relaxed);
  return chunk < num_chunks ? chunk : -1;
}

void ThreadTeam::run_erased(void (*call)(const void*, int), const void* function) {
  State& state = *state_;
  const auto start = Clock::now();
  state.chunk.store(0, std::memory_order_relaxed);
  state.call = call;
  state.function = function;
  state.caller = std::this_thread::get_id();
  state.waited = {};
  state.start(state.fixed > 0 ? state.fixed : state.size.next(start));
  call(function, 0);
  barrier();
  if (state.fixed > 0) return;
  const auto end = Clock::now();
  state.size.report(end, end - start, state.waited);
}

}  // namespace troupe
