#include "signal_watch.h"

#include <cstdint>
#include <cstdio>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace troupe::program {

SignalWatch::SignalWatch(int idle_exit_code) : idle_exit_code_(idle_exit_code) {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &watched, &old_mask_);
  signals_ = signalfd(-1, &watched, SFD_CLOEXEC);
  ending_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
  const std::uint64_t one = 1;
  if (write(ending_, &one, sizeof one) < 0) end_at_once(idle_exit_code_);
  thread_.join();
  close(signals_);
  close(ending_);
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
  std::fflush(nullptr);
  _exit(exit_code);
}

}  // namespace troupe::program
