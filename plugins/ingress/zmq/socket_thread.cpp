#include "socket_thread.h"

#include "join_events.h"
#include "troupe/core/event_json.h"
#include "troupe/core/json.h"

#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <optional>
#include <set>
#include <utility>

namespace troupe::zmq_door {
namespace {

/// More frames than any message of ours has; the rest of a longer one is read and thrown away.
constexpr std::size_t kMostFrames = 8;
/// Messages taken in one go, so that a flood of them does not hold up events: until either is
/// reached. A larger message than that is the only one of its go.
constexpr std::size_t kMostBytesAtOnce = 256 * 1024;
constexpr std::chrono::milliseconds kLongestAtOnce{2};
/// Messages of one connection that ZeroMQ stores; then it stops reading from that connection.
constexpr int kReceiveQueue = 4;
/// What a connection may send while none of its messages is taken: a full queue, and two in work.
constexpr std::int64_t kMostMessagesUntaken = kReceiveQueue + 2;
constexpr std::chrono::milliseconds kLookEvery{50};
/// How long a door that closes waits for clients to take what is theirs.
constexpr std::chrono::milliseconds kFarewell{5000};
/// How long it refuses what still comes in.
constexpr std::chrono::milliseconds kRefuseAtMost{200};
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

Value streamed(const TokenEvent& event) {
  if (!event.error) return event_to_json(event);
  auto shorter = event;
  shorter.error = short_error(*event.error);
  return event_to_json(shorter);
}

std::string last_error() {
  return zmq_strerror(zmq_errno());
}

}  // namespace

struct SocketThread::Socket {
  ~Socket() {
    connections.reset();  // it watches the socket
    if (router) zmq_close(router);
    if (context) zmq_ctx_term(context);
  }
  template <class T>
  bool set(int option, T value) {
    return zmq_setsockopt(router, option, &value, sizeof value) == 0;
  }
  void* context = nullptr;
  void* router = nullptr;
  std::optional<Connections> connections;
};

/// By TCP. Not by ZeroMQ's heartbeats: version 4.3.4 ends the process when one is due on a
/// connection that broke while our queue was full (its issues 3937, 4364).
bool SocketThread::notice_vanished_hosts(Socket& socket) {
  constexpr int kIdleS = 10, kIntervalS = 5, kProbes = 2;  // nothing was sent
  constexpr int kUnansweredMs = 20000;                     // something was, and is not taken
  return socket.set(ZMQ_TCP_KEEPALIVE, 1) && socket.set(ZMQ_TCP_KEEPALIVE_IDLE, kIdleS) &&
         socket.set(ZMQ_TCP_KEEPALIVE_INTVL, kIntervalS) &&
         socket.set(ZMQ_TCP_KEEPALIVE_CNT, kProbes) && socket.set(ZMQ_TCP_MAXRT, kUnansweredMs);
}

Result<std::unique_ptr<SocketThread>> SocketThread::start(const DoorOptions& options,
                                                          RequestSink& sink) {
  auto socket = std::make_unique<Socket>();
  socket->context = zmq_ctx_new();
  socket->router = socket->context ? zmq_socket(socket->context, ZMQ_ROUTER) : nullptr;
  if (!socket->router)
    return fail(ErrorCode::device, "no ZeroMQ socket can be made: " + last_error());
  const bool set = socket->set(ZMQ_LINGER, static_cast<int>(kFarewell.count())) &&
                   socket->set(ZMQ_MAXMSGSIZE, options.max_message_bytes) &&
                   socket->set(ZMQ_RCVHWM, kReceiveQueue) && socket->set(ZMQ_RCVBUF, 256 * 1024) &&
                   // A reply to a client that is gone is an error, not silence.
                   socket->set(ZMQ_ROUTER_MANDATORY, 1) &&
                   socket->set(ZMQ_SNDHWM, static_cast<int>(options.send_queue)) &&
                   // Only for such addresses: it would show 127.0.0.1 as ::ffff:127.0.0.1.
                   socket->set(ZMQ_IPV6, options.bind.find('[') == std::string::npos ? 0 : 1) &&
                   socket->set(ZMQ_HANDSHAKE_IVL, 5000) && notice_vanished_hosts(*socket);
  socket->connections.emplace(
      Connections::Limits{static_cast<std::size_t>(options.max_connections),
                          kMostMessagesUntaken * options.max_message_bytes});
  if (!set || !socket->connections->watch(socket->context, socket->router))
    return fail(ErrorCode::device, "the ZeroMQ socket cannot be set up: " + last_error());
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
  try {
    serve();
  } catch (const std::exception& fault) {
    close_door(fault.what());
  } catch (...) {
    close_door("a fault of unknown kind");
  }
}

void SocketThread::serve() {
  auto& connections = *socket_->connections;
  while (!stopping_) {
    zmq_pollitem_t items[] = {{socket_->router, 0, ZMQ_POLLIN, 0},
                              {connections.news(), 0, ZMQ_POLLIN, 0},
                              {nullptr, outbox_.fd(), ZMQ_POLLIN, 0}};
    const long wait_ms = connections.size() > 0 ? kLookEvery.count() : -1;
    if (zmq_poll(items, 3, wait_ms) < 0 && zmq_errno() == ETERM) return;
    if (items[2].revents) send_events();
    for (const auto connection : connections.take_ended())
      drop(requests_.all_of(connection));
    if (items[0].revents) receive_some();
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) continue;
    next_look_ = now + kLookEvery;
    connections.cut_greedy();
    send_unsent();
  }
  send_what_is_left();
}

/// The last events of requests that were ended by the shutdown, and what found no room.
void SocketThread::send_what_is_left() {
  const auto end = std::chrono::steady_clock::now() + kFarewell;
  // What has arrived is refused, rather than left without an answer. And a connection that broke
  // while our queue was full is only noticed once there is room in it.
  const auto refused_until = std::chrono::steady_clock::now() + kRefuseAtMost;
  while (receive_one() > 0 && std::chrono::steady_clock::now() < refused_until) {
  }
  send_events();
  while (!unsent_.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (const auto connection : socket_->connections->take_ended())
      drop(requests_.all_of(connection));
    send_unsent();
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  socket_->set(ZMQ_LINGER, std::max(0, static_cast<int>(left.count())));
}

void SocketThread::close_door(std::string_view reason) noexcept {
  // What it does may fail too, where memory has run out; each step is worth trying without the
  // others.
  const auto attempt = [](auto step) noexcept {
    try {
      step();
    } catch (...) {
      // There is nobody left to tell.
    }
  };
  attempt([&] { outbox_.close(); });
  attempt([&] { socket_.reset(); });
  attempt([&] { drop(requests_.all()); });
  attempt(
      [&] { sink_.announce("closed " + endpoint_ + " after a fault: " + std::string(reason)); });
}

void SocketThread::receive_some() {
  const auto end = std::chrono::steady_clock::now() + kLongestAtOnce;
  for (std::size_t bytes = 0; bytes < kMostBytesAtOnce;) {
    const auto size = receive_one();
    if (size == 0) return;
    bytes += size;
    if (std::chrono::steady_clock::now() >= end) return;
  }
}

/// Takes one message; returns its size, 0 when there is none.
std::size_t SocketThread::receive_one() {
  Part identity;
  if (zmq_msg_recv(&identity.message, socket_->router, ZMQ_DONTWAIT) < 0) return 0;
  ClientRequest from;
  from.identity = identity.view();
  std::vector<std::unique_ptr<Part>> parts;
  std::size_t frames = 0, size = identity.view().size();
  int more = zmq_msg_more(&identity.message);
  while (more) {
    auto part = std::make_unique<Part>();
    if (zmq_msg_recv(&part->message, socket_->router, 0) < 0) return 0;
    more = zmq_msg_more(&part->message);
    if (frames == 0) from.connection = socket_->connections->sender_of(&part->message);
    size += part->view().size();
    if (++frames <= kMostFrames) parts.push_back(std::move(part));
  }
  std::vector<std::string_view> views;
  for (const auto& part : parts)
    views.push_back(part->view());
  // REQ sockets put an empty frame in front.
  if (views.size() == 3 && views.front().empty()) views.erase(views.begin());
  if (frames > kMostFrames) views.assign(frames, {});
  // Nobody is left to read the answer to a message whose connection has ended.
  if (from.connection != 0) handle(from, views);
  return size;
}

void SocketThread::handle(const ClientRequest& from, const std::vector<std::string_view>& frames) {
  auto incoming = read_message(frames, std::chrono::steady_clock::now());
  if (!incoming) return refuse(from.identity, incoming.error().id, incoming.error().error);
  if (incoming->kind == Incoming::Kind::request) return handle_request(from, std::move(*incoming));
  if (const auto request = requests_.find(from.identity, incoming->id)) sink_.cancel(*request);
}

void SocketThread::handle_request(ClientRequest from, Incoming incoming) {
  if (requests_.contains(from.identity, incoming.id))
    return refuse(from.identity, "",
                  Error(ErrorCode::invalid_argument,
                        "id: '" + incoming.id + "' is the id of a request under way"));
  if (requests_.count(from.identity) >= static_cast<std::size_t>(options_.max_requests_per_client))
    return refuse(from.identity, incoming.id,
                  Error(ErrorCode::resource_exhausted,
                        "this client has " + std::to_string(options_.max_requests_per_client) +
                            " requests under way, the most allowed"),
                  kRetryAfterMs);
  from.stream = incoming.request->stream;
  from.id = std::move(incoming.id);
  // The event of a request may come before this returns; it waits in the outbox, which this thread
  // empties.
  auto request = sink_.submit(std::move(*incoming.request));
  if (!request) {
    const bool full = request.error().code() == ErrorCode::resource_exhausted;
    return refuse(from.identity, from.id, request.error(), full ? kRetryAfterMs : 0);
  }
  requests_.add(*request, std::move(from));
}

void SocketThread::send_events() {
  for (const auto& event : outbox_.take())
    send_event(event);
}

void SocketThread::send_event(const TokenEvent& event) {
  const auto id = event.context->id;
  auto* request = requests_.find(id);
  if (!request) return;
  const bool waits = !request->unsent.empty();
  if (request->stream)
    join(request->unsent, event);
  else if (const auto message = collect(*request, event))
    request->unsent_end = to_json(*message);
  else
    return;
  // What waits for room is tried from time to time, not for every event that joins it.
  if (!waits && !send_unsent_of(id, *request)) unsent_.push_back(id);
}

/// Sends what a request has for its client; false when there was no room for all of it. After
/// true the request may be gone.
bool SocketThread::send_unsent_of(RequestId id, ClientRequest& request) {
  auto sent = Sent::yes;
  bool ended = !request.unsent_end.empty();
  if (ended) sent = send(request.identity, request.unsent_end);
  while (!request.unsent.empty() && sent == Sent::yes) {
    auto& event = request.unsent.front();
    event.number = request.next_number;
    ended = event.last;
    sent = send(request.identity, to_json(streamed(event)));
    if (sent != Sent::yes) break;
    ++request.next_number;
    request.unsent.erase(request.unsent.begin());
  }
  if (sent == Sent::no_room) return false;
  if (sent == Sent::client_is_gone)
    drop(requests_.all_of(std::string(request.identity)));
  else if (ended)
    requests_.remove(id);
  return true;
}

/// Tries again what found no room, until a client has none.
void SocketThread::send_unsent() {
  std::set<std::string> full;
  for (const auto id : std::exchange(unsent_, {})) {
    auto* request = requests_.find(id);
    if (!request || (!full.contains(request->identity) && send_unsent_of(id, *request))) continue;
    full.insert(request->identity);
    unsent_.push_back(id);
  }
}

SocketThread::Sent SocketThread::send(const std::string& identity, std::string_view message) {
  const auto part = [&](std::string_view bytes, int flags) {
    return zmq_send(socket_->router, bytes.data(), bytes.size(), flags | ZMQ_DONTWAIT) >= 0;
  };
  // Once the identity is taken, the other parts go the same way. What fails then: EHOSTUNREACH, the
  // client is gone; EAGAIN, it has not read for a whole queue.
  if (!part(identity, ZMQ_SNDMORE))
    return zmq_errno() == EAGAIN ? Sent::no_room : Sent::client_is_gone;
  part(kProtocol, ZMQ_SNDMORE);
  part(message, 0);
  return Sent::yes;
}

/// Nothing waits for a refusal that finds no room: a client could make the door store any number.
void SocketThread::refuse(const std::string& identity, std::string_view id, const Error& error,
                          double retry_after_ms) {
  const auto sent = send(identity, to_json(refusal(id, error, retry_after_ms)));
  if (sent == Sent::client_is_gone) drop(requests_.all_of(identity));
}

void SocketThread::drop(const std::vector<RequestId>& requests) {
  for (const auto request : requests) {
    requests_.remove(request);
    sink_.cancel(request);
  }
}

}  // namespace troupe::zmq_door
