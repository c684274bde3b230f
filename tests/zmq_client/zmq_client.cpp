#include "zmq_client.h"

#include "troupe/core/json.h"

#include <gtest/gtest.h>
#include <zmq.h>

namespace troupe::testing {

ZmqClient::ZmqClient(void* context, const std::string& endpoint)
    : socket_(zmq_socket(context, ZMQ_DEALER)) {
  const int linger = 0;
  zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof linger);
  zmq_connect(socket_, endpoint.c_str());
}

ZmqClient::~ZmqClient() {
  zmq_close(socket_);
}

void ZmqClient::send(const std::vector<std::string>& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i)
    zmq_send(socket_, frames[i].data(), frames[i].size(), i + 1 < frames.size() ? ZMQ_SNDMORE : 0);
}

void ZmqClient::try_send_json(const std::string& json) {
  zmq_pollitem_t item = {socket_, 0, ZMQ_POLLOUT, 0};
  if (zmq_poll(&item, 1, 10) > 0) send_json(json);
}

Value ZmqClient::receive(std::chrono::milliseconds limit) {
  zmq_pollitem_t item = {socket_, 0, ZMQ_POLLIN, 0};
  if (zmq_poll(&item, 1, static_cast<long>(limit.count())) <= 0) return {};
  std::vector<std::string> frames;
  int more = 1;
  while (more) {
    zmq_msg_t part;
    zmq_msg_init(&part);
    if (zmq_msg_recv(&part, socket_, 0) < 0) return {};
    frames.emplace_back(static_cast<char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    more = zmq_msg_more(&part);
    zmq_msg_close(&part);
  }
  EXPECT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames.front(), "troupe/1");
  return parse_json(frames.back()).value();
}

std::string ZmqClient::error() {
  const auto message = receive();
  const auto* error = message.find("error");
  return error ? error->find("message")->as_string() : to_json(message);
}

}  // namespace troupe::testing
