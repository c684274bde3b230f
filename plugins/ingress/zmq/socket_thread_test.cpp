#include "socket_thread.h"

#include "troupe/core/json.h"

#include <gtest/gtest.h>
#include <zmq.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace troupe::zmq_door {
namespace {

/// Takes requests until it is told to throw; never answers.
class FakeSink final : public RequestSink {
 public:
  Result<RequestId> submit(Request) override {
    const std::lock_guard guard(mutex_);
    if (throws) throw std::runtime_error("out of ideas");
    ++submitted_;
    changed_.notify_all();
    return RequestId{static_cast<std::uint64_t>(submitted_)};
  }
  void cancel(RequestId) override { count(cancelled_); }
  void finished() override {}
  void announce(std::string line) override {
    const std::lock_guard guard(mutex_);
    announced = std::move(line);
    changed_.notify_all();
  }
  bool wait_submitted(int expected) {
    return wait([=, this] { return submitted_ == expected; });
  }
  bool wait_cancelled(int expected) {
    return wait([=, this] { return cancelled_ == expected; });
  }
  int cancelled() {
    const std::lock_guard guard(mutex_);
    return cancelled_;
  }
  bool wait_announced() {
    return wait([this] { return !announced.empty(); });
  }

  bool throws = false;    // set between requests
  std::string announced;  // read after wait_announced

 private:
  void count(int& counter) {
    const std::lock_guard guard(mutex_);
    ++counter;
    changed_.notify_all();
  }
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), condition);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int submitted_ = 0, cancelled_ = 0;
};

constexpr int kPiled = 200;

TokenEvent event_of(RequestId request, std::string text, TokenId token,
                    FinishReason finish = FinishReason::none) {
  TokenEvent event;
  event.context = std::make_shared<RequestContext>();
  event.context->id = request;
  event.text = std::move(text);
  event.token_ids = {token};
  event.finish = finish;
  event.last = finish != FinishReason::none;
  return event;
}

std::string local_address() {
  return "ipc://zmq_door_test." + std::to_string(::getpid()) + ".socket";
}

class Door : public ::testing::Test {
 protected:
  ~Door() override {
    for (auto* client : clients_)
      if (client) zmq_close(client);
    thread_.reset();
    zmq_ctx_term(context_);
  }
  void open(const std::string& bind, std::int64_t most_connections = 8) {
    auto thread = SocketThread::start({bind, 65536, 64, most_connections, 16}, sink_);
    ASSERT_TRUE(thread) << thread.error().message();
    thread_ = std::move(*thread);
  }
  std::size_t connect(int most_messages = 1000) {
    clients_.push_back(zmq_socket(context_, ZMQ_DEALER));
    const int linger = 0, timeout_ms = 500;
    zmq_setsockopt(clients_.back(), ZMQ_RCVHWM, &most_messages, sizeof most_messages);
    zmq_setsockopt(clients_.back(), ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(clients_.back(), ZMQ_RCVTIMEO, &timeout_ms, sizeof timeout_ms);
    zmq_connect(clients_.back(), thread_->endpoint().c_str());
    return clients_.size() - 1;
  }
  /// A client that soon has no room for more, unless it reads. Over TCP the system alone would take
  /// megabytes.
  std::size_t connect_with_little_room() { return connect(1); }
  void send(std::size_t client, const std::string& json) {
    zmq_send(clients_[client], "troupe/1", 8, ZMQ_SNDMORE);
    zmq_send(clients_[client], json.data(), json.size(), 0);
  }
  /// The next message; null when none comes within `limit`.
  Value receive(std::size_t client, std::chrono::milliseconds limit = std::chrono::seconds(30)) {
    zmq_pollitem_t item = {clients_[client], 0, ZMQ_POLLIN, 0};
    if (zmq_poll(&item, 1, static_cast<long>(limit.count())) <= 0) return {};
    zmq_recv(clients_[client], nullptr, 0, 0);
    zmq_msg_t json;
    zmq_msg_init(&json);
    zmq_msg_recv(&json, clients_[client], 0);
    const std::string text(static_cast<char*>(zmq_msg_data(&json)), zmq_msg_size(&json));
    zmq_msg_close(&json);
    return parse_json(text).value();
  }
  /// All messages up to the end of `count` requests; fewer when one did not come.
  std::vector<Value> receive_ends(std::size_t client, int count) {
    std::vector<Value> all;
    while (count > 0) {
      auto message = receive(client);
      if (message.is_null()) break;
      count -= message.find("event")->as_string() == "end";
      all.push_back(std::move(message));
    }
    return all;
  }
  /// Delivers kPiled events and the last one while the client does not read: more than ZeroMQ and
  /// the system have room for.
  void pile_up(RequestId request) {
    for (int number = 0; number < kPiled; ++number) {
      thread_->deliver(event_of(request, std::string(8192, 'a'), number));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    thread_->deliver(event_of(request, "z", kPiled, FinishReason::length));
  }
  void leave(std::size_t client) {
    zmq_close(clients_[client]);
    clients_[client] = nullptr;
  }

  FakeSink sink_;
  std::unique_ptr<SocketThread> thread_;
  void* context_ = zmq_ctx_new();
  std::vector<void*> clients_;
};

TEST_F(Door, ClosesAndEndsItsRequestsWhenItsThreadMeetsAnException) {
  open("tcp://127.0.0.1:*");
  const auto client = connect();
  send(client, R"({"id":"a","prompt":"x"})");
  ASSERT_TRUE(sink_.wait_submitted(1));
  sink_.throws = true;
  send(client, R"({"id":"b","prompt":"x"})");
  ASSERT_TRUE(sink_.wait_announced());
  EXPECT_EQ(sink_.announced, "closed " + thread_->endpoint() + " after a fault: out of ideas");
  EXPECT_TRUE(sink_.wait_cancelled(1));
  thread_->deliver(TokenEvent{});  // nobody takes it, and nothing comes of it
}

TEST_F(Door, CancelsOnlyTheRequestsOfTheClientThatLeft) {
  int submitted = 0, cancelled = 0;
  for (const auto& bind : {std::string("tcp://127.0.0.1:*"), local_address()}) {
    open(bind);
    const auto stays = connect(), leaves = connect();
    send(stays, R"({"id":"a","prompt":"x"})");
    send(leaves, R"({"id":"a","prompt":"x"})");
    send(leaves, R"({"id":"b","prompt":"x"})");
    ASSERT_TRUE(sink_.wait_submitted(submitted += 3)) << bind;
    leave(leaves);
    EXPECT_TRUE(sink_.wait_cancelled(cancelled += 2)) << bind;
    send(stays, R"({"type":"cancel","id":"a"})");
    EXPECT_TRUE(sink_.wait_cancelled(++cancelled)) << bind;
    leave(stays);
    EXPECT_TRUE(sink_.wait_cancelled(++cancelled)) << bind;  // it never ended
    thread_.reset();
  }
}

TEST_F(Door, CutsConnectionsBeyondTheMostAllowed) {
  open("tcp://127.0.0.1:*", 1);
  const auto first = connect();
  send(first, R"({"id":"a","prompt":"x"})");
  ASSERT_TRUE(sink_.wait_submitted(1));
  const auto second = connect();
  send(second, "no JSON");
  char byte = 0;
  EXPECT_LT(zmq_recv(clients_[second], &byte, 1, 0), 0);
  send(first, "no JSON");
  EXPECT_EQ(zmq_recv(clients_[first], &byte, 1, 0), 8);
}

constexpr const char* kStreaming = R"({"id":"a","prompt":"x","stream":true})";

TEST_F(Door, AClientThatReadsLateGetsEveryTokenInFewerEvents) {
  open(local_address());
  const auto client = connect_with_little_room();
  send(client, kStreaming);
  send(client, R"({"id":"b","prompt":"x"})");
  ASSERT_TRUE(sink_.wait_submitted(2));
  pile_up(RequestId{1});
  thread_->deliver(event_of(RequestId{2}, "whole", 7, FinishReason::length));
  const auto messages = receive_ends(client, 2);
  EXPECT_LT(messages.size(), std::size_t{kPiled});
  std::int64_t number = 0, next_id = 0;
  for (const auto& message : messages) {
    if (const auto* choices = message.find("choices")) {
      EXPECT_EQ(choices->as_array().at(0).find("text")->as_string(), "whole");
      continue;
    }
    EXPECT_EQ(message.find("number")->as_int(), number++);
    for (const auto& id : message.find("token_ids")->as_array())
      EXPECT_EQ(id.as_int(), next_id++);
  }
  EXPECT_EQ(next_id, kPiled + 1);
  EXPECT_EQ(sink_.cancelled(), 0);
  EXPECT_TRUE(receive(client, std::chrono::milliseconds(100)).is_null());
}

TEST_F(Door, TheIdOfARequestWhoseEndStillWaitsIsTaken) {
  open(local_address());
  const auto client = connect_with_little_room();
  send(client, kStreaming);
  ASSERT_TRUE(sink_.wait_submitted(1));
  pile_up(RequestId{1});
  send(client, kStreaming);
  send(client, R"({"id":"b","prompt":"x"})");
  ASSERT_TRUE(sink_.wait_submitted(2));  // b alone
  ASSERT_FALSE(receive_ends(client, 1).empty());
}

// Over TCP: on a local socket the client's own ZeroMQ throws away what it has not read yet when the
// other side closes (docs/protocol.md).
TEST_F(Door, WhatStillWaitsGoesOutWhenItCloses) {
  open("tcp://127.0.0.1:*");
  const auto client = connect_with_little_room();
  send(client, kStreaming);
  ASSERT_TRUE(sink_.wait_submitted(1));
  pile_up(RequestId{1});
  auto closed = std::async(std::launch::async, [this] { thread_.reset(); });
  const auto messages = receive_ends(client, 1);
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages.back().find("event")->as_string(), "end");
  EXPECT_TRUE(messages.back().find("text")->as_string().ends_with("z"));
  closed.wait();
}

}  // namespace
}  // namespace troupe::zmq_door
