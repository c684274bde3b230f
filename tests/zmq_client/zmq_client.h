#pragma once
#include "troupe/api/value.h"

#include <chrono>
#include <string>
#include <vector>

namespace troupe::testing {

/// A client of the ZeroMQ door, with a DEALER socket of its own. Every wait is bounded. One thread.
class ZmqClient {
 public:
  /// `context`: of ZeroMQ; it must outlive the client.
  ZmqClient(void* context, const std::string& endpoint);
  ~ZmqClient();
  ZmqClient(const ZmqClient&) = delete;
  ZmqClient& operator=(const ZmqClient&) = delete;

  void send(const std::vector<std::string>& frames);
  void send_json(const std::string& json) { send({"troupe/1", json}); }
  /// Sends unless the queue is full.
  void try_send_json(const std::string& json);

  /// The next message's JSON; null when none came in time. A message that does not begin with the
  /// protocol's frame is a failure of the test.
  Value receive(std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// The next message's error; the message itself when it has none.
  std::string error();

 private:
  void* socket_;
};

}  // namespace troupe::testing
