#include "signal_watch.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <future>
#include <memory>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace troupe::program {
namespace {

constexpr auto kFlushLimit = std::chrono::milliseconds(200);

/// Not fflush(nullptr): it waits for standard input too, which a thread that waits for a line
/// holds. And by a thread of its own: a pipe that nobody reads holds standard output.
void flush_for_a_moment() {
  const auto flushed = std::make_shared<std::promise<void>>();
  auto end = flushed->get_future();
  try {
    std::thread([flushed] {
      std::fflush(stdout);
      std::fflush(stderr);
      flushed->set_value();
    }).detach();
  } catch (const std::system_error&) {
    return;  // no thread is to be had: ending goes before printing
  }
  end.wait_for(kFlushLimit);
}

}  // namespace

SignalWatch::SignalWatch(int idle_exit_code) : idle_exit_code_(idle_exit_code) {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &watched, &old_mask_);
  signals_ = signalfd(-1, &watched, SFD_CLOEXEC);
  ending_ = eventfd(0, EFD_CLOEXEC);
  // Without files to watch, signals keep their usual effect: held back, they would have none.
  if (signals_ < 0 || ending_ < 0)
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  else
    thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    if (write(ending_, &one, sizeof one) < 0) end_at_once(idle_exit_code_);
    thread_.join();
  }
  for (const int file : {signals_, ending_})
    if (file >= 0) close(file);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void SignalWatch::set_action(Action action) {
  const std::lock_guard guard(mutex_);
  action_ = std::move(action);
  count_ = 0;
}

void SignalWatch::watch() {
  while (true) {
    pollfd files[] = {{signals_, POLLIN, 0}, {ending_, POLLIN, 0}};
    if (poll(files, 2, -1) < 0) continue;
    if (files[1].revents != 0) return;
    signalfd_siginfo info;
    if (read(signals_, &info, sizeof info) == sizeof info) act();
  }
}

void SignalWatch::act() {
  const std::lock_guard guard(mutex_);
  if (!action_) end_at_once(idle_exit_code_);
  action_(++count_);
}

void end_at_once(int exit_code) {
  flush_for_a_moment();
  _exit(exit_code);
}

}  // namespace troupe::program
