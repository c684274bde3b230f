#pragma once
#include <zmq.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace troupe::zmq_door {

/// One connection to the door, for as long as it lasts; never 0 and never used again.
using ConnectionId = std::uint64_t;

/// The connections of a bound socket: which there are, which ended, and which are to be cut because
/// they send without end. ZeroMQ bounds a frame and a queue of messages, but not the frames of one
/// message: those it stores until the last has come. One thread.
class Connections {
 public:
  struct Limits {
    std::size_t most_connections = 0;  // those beyond are cut
    std::int64_t most_bytes = 0;       // from one connection since its last whole message
  };

  explicit Connections(const Limits& limits) : limits_(limits) {}
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Begins to watch a ZeroMQ socket; to be called before it is bound. False: zmq_errno says why.
  bool watch(void* context, void* socket);
  /// A ZeroMQ socket that is readable when there is news.
  void* news() const { return news_; }
  /// Takes the news in; returns the connections that ended since the last call of this.
  std::vector<ConnectionId> take_ended();
  /// The connection that a message just received came by, of which `part` is one but not the
  /// sender's identity; 0: it is not there any more.
  ConnectionId sender_of(zmq_msg_t* part);
  /// Cuts those that sent more than is allowed since their last whole message. A fast look at each.
  void cut_greedy();
  std::size_t size() const { return open_.size(); }

 private:
  struct Open {
    ConnectionId id = 0;
    int fd = -1;             // a copy of ours: ZeroMQ may close its own at any time
    std::int64_t bytes = 0;  // received when its last message was taken
  };
  void take_news();
  void opened(int fd);
  void ended(int fd);

  const Limits limits_;
  void* watched_ = nullptr;
  void* news_ = nullptr;
  ConnectionId last_id_ = 0;
  std::unordered_map<int, Open> open_;  // by ZeroMQ's file descriptor
  std::vector<ConnectionId> ended_;
};

}  // namespace troupe::zmq_door
