#include "socket_thread.h"

#include "troupe/core/json.h"
#include "troupe/core/request_json.h"

#include <zmq.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace troupe::zmq_door {
namespace {

/// More frames than any message of ours has; the rest of a longer one is read and thrown away.
constexpr std::size_t kMostFrames = 8;
/// Messages taken in one go, so that a flood of them does not hold up events.
constexpr int kMostMessagesAtOnce = 64;
constexpr double kRetryAfterMs = 250;

/// One message part, freed when it goes out of scope.
struct Part {
  Part() { zmq_msg_init(&message); }
  ~Part() { zmq_msg_close(&message); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  std::string_view view() {
    return {static_cast<const char*>(zmq_msg_data(&message)), zmq_msg_size(&message)};
  }
  zmq_msg_t message;
};

std::string last_error() {
  return zmq_strerror(zmq_errno());
}

}  // namespace

struct SocketThread::Socket {
  ~Socket() {
    if (router) zmq_close(router);
    if (context) zmq_ctx_term(context);
  }
  template <class T>
  bool set(int option, T value) {
    return zmq_setsockopt(router, option, &value, sizeof value) == 0;
  }
  void* context = nullptr;
  void* router = nullptr;
};

Result<std::unique_ptr<SocketThread>> SocketThread::start(const DoorOptions& options,
                                                          RequestSink& sink) {
  auto socket = std::make_unique<Socket>();
  socket->context = zmq_ctx_new();
  socket->router = socket->context ? zmq_socket(socket->context, ZMQ_ROUTER) : nullptr;
  if (!socket->router)
    return fail(ErrorCode::device, "no ZeroMQ socket can be made: " + last_error());
  const bool set =
      socket->set(ZMQ_LINGER, 200) && socket->set(ZMQ_MAXMSGSIZE, options.max_message_bytes) &&
      // A reply to a client that is gone is an error, not silence.
      socket->set(ZMQ_ROUTER_MANDATORY, 1) &&
      socket->set(ZMQ_SNDHWM,
                  static_cast<int>(options.send_queue)) &&  // Only for such addresses: it would
                                                            // show 127.0.0.1 as ::ffff:127.0.0.1.
      socket->set(ZMQ_IPV6, options.bind.find('[') == std::string::npos ? 0 : 1) &&
      socket->set(ZMQ_HEARTBEAT_IVL, 5000) && socket->set(ZMQ_HEARTBEAT_TIMEOUT, 15000) &&
      socket->set(ZMQ_HANDSHAKE_IVL, 5000);
  if (!set) return fail(ErrorCode::device, "the ZeroMQ socket cannot be set up: " + last_error());
  if (zmq_bind(socket->router, options.bind.c_str()) != 0)
    return fail(zmq_errno() == EINVAL || zmq_errno() == EPROTONOSUPPORT
                    ? ErrorCode::invalid_argument
                    : ErrorCode::device,
                "bind = \"" + options.bind + "\": " + last_error() +
                    "; expected an address like tcp://127.0.0.1:5555 or ipc:///path that is free");
  return std::unique_ptr<SocketThread>(new SocketThread(options, sink, std::move(socket)));
}

SocketThread::SocketThread(const DoorOptions& options, RequestSink& sink,
                           std::unique_ptr<Socket> socket)
    : options_(options), sink_(sink), socket_(std::move(socket)) {
  std::array<char, 512> endpoint{};
  std::size_t size = endpoint.size();
  if (zmq_getsockopt(socket_->router, ZMQ_LAST_ENDPOINT, endpoint.data(), &size) == 0)
    endpoint_ = endpoint.data();
  thread_ = std::thread([this] { run(); });
}

SocketThread::~SocketThread() {
  stopping_ = true;
  outbox_.wake();
  thread_.join();
}

void SocketThread::run() {
  while (!stopping_) {
    zmq_pollitem_t items[] = {{socket_->router, 0, ZMQ_POLLIN, 0},
                              {nullptr, outbox_.fd(), ZMQ_POLLIN, 0}};
    if (zmq_poll(items, 2, -1) < 0 && zmq_errno() == ETERM) return;
    if (items[1].revents) send_events();
    if (items[0].revents) receive_all();
  }
  send_events();  // the last events of requests that were ended by the shutdown
}

void SocketThread::receive_all() {
  for (int i = 0; i < kMostMessagesAtOnce; ++i) {
    Part identity;
    if (zmq_msg_recv(&identity.message, socket_->router, ZMQ_DONTWAIT) < 0) return;
    std::vector<std::unique_ptr<Part>> parts;
    std::size_t frames = 0;
    int more = zmq_msg_more(&identity.message);
    while (more) {
      auto part = std::make_unique<Part>();
      if (zmq_msg_recv(&part->message, socket_->router, 0) < 0) return;
      more = zmq_msg_more(&part->message);
      if (++frames <= kMostFrames) parts.push_back(std::move(part));
    }
    std::vector<std::string_view> views;
    for (const auto& part : parts)
      views.push_back(part->view());
    // REQ sockets put an empty frame in front.
    if (views.size() == 3 && views.front().empty()) views.erase(views.begin());
    if (frames > kMostFrames) views.assign(frames, {});
    handle(std::string(identity.view()), views);
  }
  outbox_.wake();  // there may be more, but events go first
}

void SocketThread::handle(const std::string& identity,
                          const std::vector<std::string_view>& frames) {
  auto incoming = read_message(frames, std::chrono::steady_clock::now());
  if (!incoming) return send(identity, refusal(incoming.error().id, incoming.error().error));
  if (incoming->kind == Incoming::Kind::request)
    return handle_request(identity, std::move(*incoming));
  if (const auto request = requests_.find(identity, incoming->id)) sink_.cancel(*request);
}

void SocketThread::handle_request(const std::string& identity, Incoming incoming) {
  if (requests_.contains(identity, incoming.id))
    return send(identity,
                refusal("", Error(ErrorCode::invalid_argument,
                                  "id: '" + incoming.id + "' is the id of a request under way")));
  if (requests_.count(identity) >= static_cast<std::size_t>(options_.max_requests_per_client))
    return send(identity, refusal(incoming.id,
                                  Error(ErrorCode::resource_exhausted,
                                        "this client has " +
                                            std::to_string(options_.max_requests_per_client) +
                                            " requests under way, the most allowed"),
                                  kRetryAfterMs));
  const bool stream = incoming.request->stream;
  // The event of a request may come before this returns; it waits in the outbox, which this thread
  // empties.
  auto request = sink_.submit(std::move(*incoming.request));
  if (!request) {
    const bool full = request.error().code() == ErrorCode::resource_exhausted;
    return send(identity, refusal(incoming.id, request.error(), full ? kRetryAfterMs : 0));
  }
  requests_.add(*request, {identity, std::move(incoming.id), stream, {}});
}

void SocketThread::send_events() {
  for (const auto& event : outbox_.take())
    send_event(event);
}

void SocketThread::send_event(const TokenEvent& event) {
  const auto id = event.context->id;
  auto* request = requests_.find(id);
  if (!request) return;
  const std::string identity = request->identity;
  std::optional<Value> message = request->stream ? event_to_json(event) : collect(*request, event);
  if (event.last) requests_.remove(id);
  if (message) send(identity, *message);
}

void SocketThread::send(const std::string& identity, const Value& message) {
  const std::string text = to_json(message);
  const auto part = [&](std::string_view bytes, int flags) {
    return zmq_send(socket_->router, bytes.data(), bytes.size(), flags | ZMQ_DONTWAIT) >= 0;
  };
  // Once the identity is taken, the other parts go the same way. What fails then: EHOSTUNREACH, the
  // client is gone; EAGAIN, it has not read for a whole queue.
  if (!part(identity, ZMQ_SNDMORE)) return drop_client(identity);
  part(kProtocol, ZMQ_SNDMORE);
  part(text, 0);
}

void SocketThread::drop_client(const std::string& identity) {
  for (const auto request : requests_.all_of(identity)) {
    sink_.cancel(request);
    requests_.remove(request);
  }
}

}  // namespace troupe::zmq_door
