#include "outbox.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace troupe::zmq_door {

Outbox::Outbox() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Outbox::~Outbox() {
  if (fd_ >= 0) ::close(fd_);
}

void Outbox::wake() {
  const std::uint64_t one = 1;
  // It fails only when the counter is full, and then the reader is awake.
  static_cast<void>(!::write(fd_, &one, sizeof one));
}

void Outbox::put(const TokenEvent& event) {
  bool first = false;
  {
    const std::lock_guard guard(mutex_);
    if (closed_) return;
    first = events_.empty();
    events_.push_back(event);
  }
  if (first) wake();
}

std::vector<TokenEvent> Outbox::take() {
  std::uint64_t count = 0;
  static_cast<void>(!::read(fd_, &count, sizeof count));
  const std::lock_guard guard(mutex_);
  return std::exchange(events_, {});
}

void Outbox::close() {
  const std::lock_guard guard(mutex_);
  closed_ = true;
  events_.clear();
}

}  // namespace troupe::zmq_door
