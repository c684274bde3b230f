#pragma once
#include "troupe/api/event.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace troupe::zmq_door {

/// Events on their way from the runtime's threads to the socket's thread, which waits on `fd`. Any
/// thread may put; one thread takes. Never blocks.
class Outbox {
 public:
  Outbox();
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  bool is_valid() const { return fd_ >= 0; }
  /// Readable when there is something to take.
  int fd() const { return fd_; }
  void put(const TokenEvent& event);
  /// Makes `fd` readable without an event: the thread is to look around.
  void wake();
  std::vector<TokenEvent> take();
  /// From now on events are thrown away: nobody will take them.
  void close();

 private:
  int fd_;
  std::mutex mutex_;
  std::vector<TokenEvent> events_;
  bool closed_ = false;
};

}  // namespace troupe::zmq_door
