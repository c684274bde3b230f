#include "troupe/device/thread_team.h"

#include "troupe/api/check.h"

#include <atomic>
#include <chrono>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace troupe {
namespace {

constexpr auto kSpin = std::chrono::microseconds(200);

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

/// Waits until `word` differs from `seen`: spins first, with a yield now and then for the case that
/// there are more threads than cores, then sleeps.
void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                     std::atomic<std::uint32_t>& sleepers) {
  const auto until = std::chrono::steady_clock::now() + kSpin;
  for (int round = 0;; ++round) {
    if (word.load(std::memory_order_acquire) != seen) return;
    pause_cpu();
    if (round % 64 == 63) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() > until) break;
    }
  }
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  while (word.load(std::memory_order_seq_cst) == seen)
    futex_wait(word, seen);
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace

struct ThreadTeam::State {
  explicit State(int count) : num_threads(count) {}

  void advance(std::atomic<std::uint32_t>& word) {
    word.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0) futex_wake_all(word);
  }

  const int num_threads;
  alignas(64) std::atomic<std::uint32_t> generation{0};  // a change starts a run
  alignas(64) std::atomic<std::uint32_t> arrived{0};     // workers at the present barrier
  alignas(64) std::atomic<std::uint32_t> phase{0};       // a change opens the barrier
  alignas(64) std::atomic<std::int64_t> chunk{0};
  alignas(64) std::atomic<std::uint32_t> sleepers{0};
  void (*call)(const void*, int) = nullptr;
  const void* function = nullptr;
  bool stopping = false;
  std::vector<std::thread> threads;
};

ThreadTeam::ThreadTeam(int num_threads) : state_(std::make_unique<State>(num_threads)) {
  TROUPE_CHECK(num_threads >= 1 && num_threads <= 1024);
  for (int worker = 1; worker < num_threads; ++worker)
    state_->threads.emplace_back([this, worker] {
      State& state = *state_;
      std::uint32_t seen = 0;
      for (;;) {
        wait_for_change(state.generation, seen, state.sleepers);
        ++seen;
        if (state.stopping) return;
        state.call(state.function, worker);
        barrier();
      }
    });
}

ThreadTeam::~ThreadTeam() {
  state_->stopping = true;
  state_->advance(state_->generation);
  for (auto& thread : state_->threads)
    thread.join();
}

int ThreadTeam::size() const {
  return state_->num_threads;
}

void ThreadTeam::barrier() {
  State& state = *state_;
  if (state.num_threads == 1) {
    state.chunk.store(0, std::memory_order_relaxed);
    return;
  }
  const std::uint32_t phase = state.phase.load(std::memory_order_acquire);
  if (state.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<std::uint32_t>(state.num_threads)) {
    state.arrived.store(0, std::memory_order_relaxed);
    state.chunk.store(0, std::memory_order_relaxed);
    state.advance(state.phase);
  } else {
    wait_for_change(state.phase, phase, state.sleepers);
  }
}

std::int64_t ThreadTeam::next_chunk(std::int64_t num_chunks) {
  const auto chunk = state_->chunk.fetch_add(1, std::memory_order_relaxed);
  return chunk < num_chunks ? chunk : -1;
}

void ThreadTeam::run_erased(void (*call)(const void*, int), const void* function) {
  State& state = *state_;
  state.chunk.store(0, std::memory_order_relaxed);
  state.call = call;
  state.function = function;
  if (state.num_threads > 1) state.advance(state.generation);
  call(function, 0);
  barrier();
}

}  // namespace troupe
