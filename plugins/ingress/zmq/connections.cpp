#include "connections.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace troupe::zmq_door {
namespace {

constexpr const char* kNewsAddress = "inproc://news";

/// What a connection has received so far; -1 where the system does not count it (Unix sockets).
std::int64_t bytes_received(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
  constexpr auto kEnd = offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  return size >= kEnd ? static_cast<std::int64_t>(info.tcpi_bytes_received) : -1;
}

}  // namespace

Connections::~Connections() {
  if (watched_) zmq_socket_monitor(watched_, nullptr, 0);
  if (news_) zmq_close(news_);
  for (const auto& [number, open] : open_)
    if (open.fd >= 0) ::close(open.fd);
}

bool Connections::watch(void* context, void* socket) {
  constexpr int kEvents = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED;
  if (zmq_socket_monitor(socket, kNewsAddress, kEvents) != 0) return false;
  watched_ = socket;
  news_ = zmq_socket(context, ZMQ_PAIR);
  // No bound on news: with one, ZeroMQ's own thread would wait for us.
  const int unbounded = 0;
  return news_ && zmq_setsockopt(news_, ZMQ_RCVHWM, &unbounded, sizeof unbounded) == 0 &&
         zmq_connect(news_, kNewsAddress) == 0;
}

std::vector<ConnectionId> Connections::take_ended() {
  take_news();
  return std::exchange(ended_, {});
}

void Connections::take_news() {
  // Two frames: a 16-bit event with a 32-bit value, here the file descriptor; and the address.
  std::byte frame[6];
  while (zmq_recv(news_, frame, sizeof frame, ZMQ_DONTWAIT) == sizeof frame) {
    std::uint16_t event = 0;
    std::int32_t fd = 0;
    std::memcpy(&event, frame, sizeof event);
    std::memcpy(&fd, frame + sizeof event, sizeof fd);
    zmq_recv(news_, nullptr, 0, 0);
    event == ZMQ_EVENT_ACCEPTED ? opened(fd) : ended(fd);
  }
}

void Connections::opened(int fd) {
  ended(fd);  // its end was never told, but the number is in use again
  // Without a copy (no more descriptors) the connection is served, but cannot be cut.
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  open_[fd] = {++last_id_, copy, 0};
  if (open_.size() > limits_.most_connections && copy >= 0) ::shutdown(copy, SHUT_RDWR);
}

void Connections::ended(int fd) {
  const auto it = open_.find(fd);
  if (it == open_.end()) return;
  if (it->second.fd >= 0) ::close(it->second.fd);
  ended_.push_back(it->second.id);
  open_.erase(it);
}

ConnectionId Connections::sender_of(zmq_msg_t* part) {
  // First the news: a number may by now be that of another connection.
  take_news();
  const auto it = open_.find(zmq_msg_get(part, ZMQ_SRCFD));
  if (it == open_.end()) return 0;
  it->second.bytes = bytes_received(it->second.fd);
  return it->second.id;
}

void Connections::cut_greedy() {
  for (auto& [number, open] : open_)
    if (bytes_received(open.fd) - open.bytes > limits_.most_bytes) ::shutdown(open.fd, SHUT_RDWR);
}

}  // namespace troupe::zmq_door
