#pragma once
#include "client_requests.h"
#include "outbox.h"
#include "troupe/api/ingress.h"
#include "wire.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace troupe::zmq_door {

struct DoorOptions {
  std::string bind;
  std::int64_t max_message_bytes = 0;
  std::int64_t send_queue = 0;  // messages that may wait for one client
  std::int64_t max_requests_per_client = 0;
};

/// The thread that owns the ROUTER socket: nobody else touches it. It takes messages in, sends
/// events out, and never blocks in a send: a client that does not read, or is gone, has its
/// requests cancelled.
class SocketThread {
 public:
  /// Binds and starts. Errors: invalid_argument, device (the address cannot be bound; the message
  /// says why).
  static Result<std::unique_ptr<SocketThread>> start(const DoorOptions& options, RequestSink& sink);
  ~SocketThread();

  void deliver(const TokenEvent& event) { outbox_.put(event); }
  /// Where it listens, with the port the system chose.
  const std::string& endpoint() const { return endpoint_; }

 private:
  struct Socket;
  SocketThread(const DoorOptions& options, RequestSink& sink, std::unique_ptr<Socket> socket);
  void run();
  void receive_all();
  void handle(const std::string& identity, const std::vector<std::string_view>& frames);
  void handle_request(const std::string& identity, Incoming incoming);
  void send_events();
  void send_event(const TokenEvent& event);
  void send(const std::string& identity, const Value& message);
  void drop_client(const std::string& identity);

  const DoorOptions options_;
  RequestSink& sink_;
  std::unique_ptr<Socket> socket_;
  std::string endpoint_;
  Outbox outbox_;
  ClientRequests requests_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // last: it starts when everything above exists
};

}  // namespace troupe::zmq_door
