#pragma once
#include "client_requests.h"
#include "outbox.h"
#include "troupe/api/ingress.h"
#include "wire.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace troupe::zmq_door {

struct DoorOptions {
  std::string bind;
  std::int64_t max_message_bytes = 0;
  std::int64_t send_queue = 0;  // messages that may wait for one client
  std::int64_t max_connections = 0;
  std::int64_t max_requests_per_client = 0;
};

/// The thread that owns the ROUTER socket: nobody else touches it. It takes messages in, sends
/// events out, and never blocks in a send: for a client that does not read, events are joined until
/// it has room. A client whose connection ends has its requests cancelled. ZeroMQ takes clients in
/// turn, a message each; between two large messages events go out. A fault of its own closes the
/// door and ends its requests, nothing else.
class SocketThread {
 public:
  /// Binds and starts. Errors: invalid_argument, device (the address cannot be bound; the message
  /// says why).
  static Result<std::unique_ptr<SocketThread>> start(const DoorOptions& options, RequestSink& sink);
  /// Closes the door. What waits for clients goes out first, as long as they take it: at most 5 s.
  ~SocketThread();

  void deliver(const TokenEvent& event) { outbox_.put(event); }
  /// Where it listens, with the port the system chose.
  const std::string& endpoint() const { return endpoint_; }

 private:
  struct Socket;
  enum class Sent : std::uint8_t { yes, no_room, client_is_gone };
  static bool notice_vanished_hosts(Socket& socket);
  SocketThread(const DoorOptions& options, RequestSink& sink, std::unique_ptr<Socket> socket);
  void run();
  void serve();
  void close_door(std::string_view reason) noexcept;
  void receive_some();
  std::size_t receive_one();
  void handle(const ClientRequest& from, const std::vector<std::string_view>& frames);
  void handle_request(ClientRequest from, Incoming incoming);
  void send_events();
  void send_event(const TokenEvent& event);
  bool send_unsent_of(RequestId id, ClientRequest& request);
  void send_unsent();
  void send_what_is_left();
  Sent send(const std::string& identity, std::string_view message);
  void refuse(const std::string& identity, std::string_view id, const Error& error,
              double retry_after_ms = 0);
  void drop(const std::vector<RequestId>& requests);

  const DoorOptions options_;
  RequestSink& sink_;
  std::unique_ptr<Socket> socket_;
  std::string endpoint_;
  Outbox outbox_;
  ClientRequests requests_;
  std::vector<RequestId> unsent_;                      // of which something found no room
  std::chrono::steady_clock::time_point next_look_{};  // at the connections
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // last: it starts when everything above exists
};

}  // namespace troupe::zmq_door
