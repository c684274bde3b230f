// The ZeroMQ door: a ROUTER socket that takes JSON requests and streams JSON events
// (docs/protocol.md).
#include "socket_thread.h"
#include "troupe/api/plugin.h"

#include <arpa/inet.h>

namespace {

using namespace troupe;

constexpr ParamSpec kParams[] = {
    {.name = "bind",
     .type = ParamType::text,
     .default_value = "\"tcp://127.0.0.1:5555\"",
     .help = "address to listen on; tcp://127.0.0.1:* lets the system choose a port"},
    {.name = "expose",
     .type = ParamType::boolean,
     .default_value = "false",
     .help =
         "allow an address that other machines can reach; whoever reaches it can send requests"},
    {.name = "max_message_bytes",
     .type = ParamType::integer,
     .default_value = "1048576",
     .help = "largest frame taken; a client that sends a larger one is disconnected",
     .unit = "bytes",
     .min = 1024,
     .max = 1 << 30},
    {.name = "send_queue",
     .type = ParamType::integer,
     .default_value = "4096",
     .help = "messages that may wait for one client; the events of one that lets more pile up are "
             "joined, one a choice, until it has read some",
     .unit = "messages",
     .min = 1,
     .max = 1 << 20},
    {.name = "max_connections",
     .type = ParamType::integer,
     .default_value = "256",
     .help = "connections at a time; those beyond are closed",
     .unit = "connections",
     .min = 1,
     .max = 1 << 20},
    {.name = "max_requests_per_client",
     .type = ParamType::integer,
     .default_value = "256",
     .help = "requests one client may have under way",
     .unit = "requests",
     .min = 1,
     .max = 1 << 20},
};

/// Whether only this machine can reach an address.
bool is_local(std::string_view address) {
  for (const std::string_view prefix : {"tcp://localhost:", "tcp://[::1]:", "ipc://", "inproc://"})
    if (address.starts_with(prefix)) return true;
  constexpr std::string_view kTcp = "tcp://";
  if (!address.starts_with(kTcp)) return false;
  address.remove_prefix(kTcp.size());
  // In numbers: a name may begin with 127. and be of any machine.
  const std::string host(address.substr(0, address.rfind(':')));
  in_addr numeric{};
  return ::inet_pton(AF_INET, host.c_str(), &numeric) == 1 && ntohl(numeric.s_addr) >> 24 == 127;
}

class Zmq final : public Ingress {
 public:
  Result<void> configure(const Params& params) override {
    options_.bind = params.get_text("bind");
    options_.max_message_bytes = params.get_int("max_message_bytes");
    options_.send_queue = params.get_int("send_queue");
    options_.max_connections = params.get_int("max_connections");
    options_.max_requests_per_client = params.get_int("max_requests_per_client");
    if (!is_local(options_.bind) && !params.get_bool("expose"))
      return fail(ErrorCode::invalid_argument,
                  "bind = \"" + options_.bind +
                      "\": other machines can reach this address; expected a "
                      "loopback address, or expose = true");
    return {};
  }

  Result<void> open(RequestSink& sink) override {
    auto thread = zmq_door::SocketThread::start(options_, sink);
    if (!thread) return fail(thread.error());
    thread_ = std::move(*thread);
    sink.announce("listening on " + thread_->endpoint() + " (ZeroMQ)");
    return {};
  }

  void deliver(const TokenEvent& event) override {
    if (thread_) thread_->deliver(event);
  }

  void stop() noexcept override { thread_.reset(); }

 private:
  zmq_door::DoorOptions options_;
  std::unique_ptr<zmq_door::SocketThread> thread_;
};

constexpr OperatorSpec kSpec = make_operator<Zmq, OperatorKind::ingress>(
    "zmq", "ZeroMQ door: JSON requests in, JSON events out", "docs/protocol.md", kParams,
    {.threads = ThreadRule::owns_threads});

}  // namespace

TROUPE_PLUGIN(ingress, zmq, kSpec)
