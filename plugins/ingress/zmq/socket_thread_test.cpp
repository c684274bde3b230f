#include "socket_thread.h"

#include <gtest/gtest.h>
#include <zmq.h>

#include <chrono>
#include <condition_variable>
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
  std::size_t connect() {
    clients_.push_back(zmq_socket(context_, ZMQ_DEALER));
    const int linger = 0, timeout_ms = 500;
    zmq_setsockopt(clients_.back(), ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(clients_.back(), ZMQ_RCVTIMEO, &timeout_ms, sizeof timeout_ms);
    zmq_connect(clients_.back(), thread_->endpoint().c_str());
    return clients_.size() - 1;
  }
  void send(std::size_t client, const std::string& json) {
    zmq_send(clients_[client], "troupe/1", 8, ZMQ_SNDMORE);
    zmq_send(clients_[client], json.data(), json.size(), 0);
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
  for (const auto& bind : {std::string("tcp://127.0.0.1:*"),
                           "ipc://zmq_door_test." + std::to_string(::getpid()) + ".socket"}) {
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

}  // namespace
}  // namespace troupe::zmq_door
