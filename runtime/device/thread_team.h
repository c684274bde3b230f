#pragma once
#include <cstdint>
#include <memory>

namespace troupe {

/// A fixed set of worker threads that run one function together, again and again: the caller is
/// worker 0. Between two runs the workers spin for a short while (a futex wake costs as much as
/// hundreds of flag barriers), then sleep. While other processes use the cores, fewer workers take
/// part in a run (see TeamSize), down to worker 0 alone. One thread at a time may call run.
class ThreadTeam {
 public:
  /// Pre: 1 <= num_threads <= 1024. With 1 there is no other thread and run is a plain call.
  explicit ThreadTeam(int num_threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// The most workers of a run.
  int size() const;

  /// From now on exactly this many workers take part in each run: for tests and measurements.
  /// 0 lets the team decide again. Pre: 0 <= workers <= size(); not inside run.
  void fix_workers(int workers);

  /// Calls function(worker) on workers 0, 1, ... of this run, at most size(), and returns when all
  /// have returned. As their number may differ from run to run, work is to be shared out by
  /// next_chunk, never by worker. The function must not throw.
  template <class Function>
  void run(const Function& function) {
    run_erased([](const void* f, int worker) { (*static_cast<const Function*>(f))(worker); },
               &function);
  }

  /// For use inside run: waits until every worker of this run has arrived here.
  void barrier();

  /// For use inside run: the next of num_chunks chunks not yet taken, or -1 when all are taken.
  /// Each worker calls it until it gets -1; all workers must pass the same num_chunks, and a
  /// barrier (or the end of run) must lie between two uses. Which worker gets which chunk never
  /// changes a result.
  std::int64_t next_chunk(std::int64_t num_chunks);

 private:
  void run_erased(void (*call)(const void*, int), const void* function);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace troupe
