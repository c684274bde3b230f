#include "runtime_fixture.h"
#include "troupe/core/json.h"
#include "zmq_client.h"

#include <zmq.h>

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <future>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace troupe::testing {
namespace {

constexpr std::chrono::seconds kLongWait{10};

/// A ZMTP 3.0 greeting without security and the READY command of a DEALER.
const std::string kZmtpHello = [] {
  const auto bytes = [](std::string_view text) { return std::string(text); };
  std::string hello = "\xff" + std::string(8, '\0') + "\x7f\x03" + std::string(1, '\0') + "NULL" +
                      std::string(48, '\0');
  const std::string ready = "\x05READY" + bytes("\x0bSocket-Type") + std::string(3, '\0') + "\x06" +
                            "DEALER" + bytes("\x08Identity") + std::string(4, '\0');
  return hello + '\x04' + static_cast<char>(ready.size()) + ready;
}();

/// A TCP peer that writes the bytes it is told to; what it is sent stays unread.
class RawPeer {
 public:
  explicit RawPeer(const std::string& endpoint) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int port = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawPeer() { ::close(fd_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  /// False: the connection was cut.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto written = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  int fd_;
};

class ZmqDoor : public RuntimeTest {
 protected:
  ZmqDoor() : context_(zmq_ctx_new()) {
    auto toml = plain_pipeline();
    const std::string plugin = "plugin = \"embed\"";
    toml.replace(
        toml.find(plugin), plugin.size(),
        "plugin = \"zmq\"\nparams = { bind = \"tcp://127.0.0.1:*\", max_message_bytes = 65536, "
        "max_requests_per_client = 3 }");
    std::promise<std::string> announced;
    Engine::Options options;
    options.on_announce = [&](const std::string&, std::string line) {
      announced.set_value(std::move(line));
    };
    engine_ = open(toml, options);
    auto line = announced.get_future().get();
    endpoint_ = line.substr(line.find("tcp://"));
    endpoint_ = endpoint_.substr(0, endpoint_.find(' '));
  }
  ~ZmqDoor() override {
    engine_.reset();
    zmq_ctx_term(context_);
  }

  /// The door still serves: a known request gets its tokens.
  void expect_alive() {
    ZmqClient client(context_, endpoint_);
    client.send_json(R"({"id":"canary","prompt":"hello","max_tokens":8,"temperature":0})");
    const auto answer = client.receive();
    ASSERT_TRUE(answer.find("choices")) << to_json(answer);
    Value::Array ids;
    for (const auto id : expected_ids("hello", 8))
      ids.emplace_back(static_cast<std::int64_t>(id));
    EXPECT_EQ(*answer.find("choices")->as_array().at(0).find("token_ids"), Value(ids));
  }

  void* context_;
  std::unique_ptr<Engine> engine_;
  std::string endpoint_;
};

TEST_F(ZmqDoor, StreamsEventsAndEndsWithUsage) {
  ZmqClient client(context_, endpoint_);
  client.send_json(R"({"id":"a","prompt":"hello","max_tokens":9,"temperature":0,"stream":true})");
  Value::Array ids;
  for (std::int64_t number = 0;; ++number) {
    const auto event = client.receive();
    ASSERT_FALSE(event.is_null());
    EXPECT_EQ(event.find("id")->as_string(), "a");
    EXPECT_EQ(event.find("number")->as_int(), number);
    for (const auto& id : event.find("token_ids")->as_array())
      ids.push_back(id);
    if (event.find("event")->as_string() != "end") continue;
    EXPECT_EQ(event.find("finish_reason")->as_string(), "length");
    EXPECT_EQ(event.find("usage")->find("completion_tokens")->as_int(), 9);
    break;
  }
  Value::Array expected;
  for (const auto id : expected_ids("hello", 9))
    expected.emplace_back(static_cast<std::int64_t>(id));
  EXPECT_EQ(Value(ids), Value(expected));
}

TEST_F(ZmqDoor, AnswersInOneMessageWithoutStreaming) {
  expect_alive();
}

TEST_F(ZmqDoor, AnswersMalformedMessagesWithATypedErrorAndGoesOn) {
  ZmqClient client(context_, endpoint_);
  client.send({"hello"});
  EXPECT_EQ(client.error(),
            "found a message of 1 frame; expected 2: \"troupe/1\" and a JSON object");
  client.send({"troupe/2", "{}"});
  EXPECT_EQ(client.error(), "found protocol \"troupe/2\"; expected \"troupe/1\"");
  client.send({std::string("\x01\xff\0x", 4), "{}"});
  EXPECT_EQ(client.error(), "found protocol \"???x\"; expected \"troupe/1\"");
  client.send_json("{\"id\":");
  EXPECT_NE(client.error().find("not valid JSON"), std::string::npos);
  client.send_json("[1]");
  EXPECT_EQ(client.error(), "found a JSON array; expected an object");
  client.send_json(R"({"type":"stop","id":"a"})");
  EXPECT_EQ(client.error(), "type: found \"stop\"; expected \"request\" or \"cancel\"");
  client.send_json(R"({"id":"a","prompt":"x","temprature":1})");
  EXPECT_NE(client.error().find("did you mean 'temperature'?"), std::string::npos);
  client.send_json(R"({"prompt":"x"})");
  EXPECT_NE(client.error().find("id: found 0 bytes"), std::string::npos);
  client.send(std::vector<std::string>(1000, "x"));
  EXPECT_EQ(client.error(),
            "found a message of 1000 frames; expected 2: \"troupe/1\" and a JSON object");
  client.send({"", ""});
  EXPECT_NE(client.error().find("found protocol \"\""), std::string::npos);
  expect_alive();
}

TEST_F(ZmqDoor, TakesAReqSocketsEmptyFrame) {
  ZmqClient client(context_, endpoint_);
  client.send({"", "troupe/1", R"({"id":"a","prompt":"hello","max_tokens":2,"temperature":0})"});
  EXPECT_TRUE(client.receive().find("choices"));
}

TEST_F(ZmqDoor, CancelsByIdAndIgnoresUnknownOnes) {
  script().executor_step_us = 1000;
  ZmqClient client(context_, endpoint_);
  client.send_json(R"({"type":"cancel","id":"nobody"})");
  client.send_json(R"({"id":"a","prompt":"hello","max_tokens":900,"temperature":0,"stream":true})");
  ASSERT_FALSE(client.receive().is_null());
  client.send_json(R"({"type":"cancel","id":"a"})");
  for (;;) {
    const auto event = client.receive();
    ASSERT_FALSE(event.is_null());
    if (event.find("event")->as_string() != "end") continue;
    EXPECT_EQ(event.find("finish_reason")->as_string(), "cancelled");
    break;
  }
  script().executor_step_us = 0;
  expect_alive();
}

TEST_F(ZmqDoor, CancelsTheRequestsOfAClientThatIsGone) {
  script().executor_step_us = 500;
  {
    ZmqClient client(context_, endpoint_);
    client.send_json(
        R"({"id":"a","prompt":"hello","max_tokens":900,"temperature":0,"stream":true})");
    ASSERT_FALSE(client.receive().is_null());
    EXPECT_EQ(engine_->in_flight(), 1u);
  }
  for (int i = 0; i < 2000 && engine_->in_flight() > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(engine_->in_flight(), 0u);
}

TEST_F(ZmqDoor, CancelsRequestsThatDoNotStreamWhenTheirClientIsGone) {
  script().executor_blocks = true;  // no event comes, so nothing is sent that could fail
  {
    ZmqClient client(context_, endpoint_);
    client.send_json(R"({"id":"a","prompt":"hello","max_tokens":900,"temperature":0})");
    client.send_json(R"({"id":"b","prompt":"hello","max_tokens":900,"temperature":0})");
    for (int i = 0; i < 2000 && engine_->in_flight() < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(engine_->in_flight(), 2u);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  script().executor_step_us = 2000;  // to their end it would take 1.8 s
  script().executor_blocks = false;
  const auto start = std::chrono::steady_clock::now();
  while (engine_->in_flight() > 0 && std::chrono::steady_clock::now() - start < kLongWait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_F(ZmqDoor, RefusesASecondRequestOfOneIdAndMoreThanAllowed) {
  script().executor_blocks = true;
  ZmqClient client(context_, endpoint_);
  for (const char* id : {"a", "b", "c"})
    client.send_json(std::string(R"({"prompt":"x","max_tokens":2,"temperature":0,"id":")") + id +
                     "\"}");
  client.send_json(R"({"prompt":"x","id":"a"})");
  EXPECT_EQ(client.error(), "id: 'a' is the id of a request under way");
  client.send_json(R"({"prompt":"x","id":"d"})");
  EXPECT_EQ(client.error(), "this client has 3 requests under way, the most allowed");
  script().executor_blocks = false;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(client.receive().find("choices"));
}

TEST_F(ZmqDoor, SurvivesBytesThatAreNoZeroMq) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(64, '\xff'), std::string(9, '\0')}) {
    const RawPeer peer(endpoint_);
    EXPECT_TRUE(peer.send(bytes));
  }
  expect_alive();
}

TEST_F(ZmqDoor, CutsAPeerWhoseMessageNeverEnds) {
  const RawPeer peer(endpoint_);
  ASSERT_TRUE(peer.send(kZmtpHello));
  // Frames within the limit, each with the mark that another follows.
  std::string frame = {3, 0, 0, 0, 0, 0, 0, '\x80', 0};  // long, more; 32 KiB
  frame.resize(frame.size() + 32768, 'a');
  constexpr int kMost = 32768;  // 1 GiB
  const auto start = std::chrono::steady_clock::now();
  int sent = 0;
  while (sent < kMost && peer.send(frame))
    ++sent;
  EXPECT_LT(sent, kMost);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kLongWait);
  expect_alive();
}

TEST_F(ZmqDoor, RepeatsLittleOfWhatAClientWrote) {
  ZmqClient client(context_, endpoint_);
  std::string key;
  for (int i = 0; i < 10000; ++i)
    key += "\u00e9";
  for (const auto& json : {"{\"" + key + "\":1,\"" + key + "\":2}", "{\"id\":\"" + key,
                           "{\"id\":\"a\",\"prompt\":\"x\",\"" + key + "\":1}",
                           "{\"id\":\"" + key + "\",\"prompt\":\"x\"}",
                           "{\"type\":\"cancel\",\"id\":\"" + key + "\",\"x\":1}",
                           "{\"type\":\"" + key + "\",\"id\":\"" + key + "\"}"}) {
    client.send_json(json);
    const auto answer = to_json(client.receive());
    EXPECT_LT(answer.size(), 900u) << json.substr(0, 40);
    EXPECT_NE(answer.find("error"), std::string::npos) << answer;
    EXPECT_EQ(answer.find("\xEF\xBF\xBD"), std::string::npos) << "cut inside a character";
  }
}

TEST_F(ZmqDoor, AnswersOthersWhileClientsFloodIt) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> attackers;
  std::string body = R"({"id":"flood","x":[)";
  while (body.size() < 65000)
    body += "1,";
  body += "1]}";
  for (int i = 0; i < 2; ++i)
    attackers.emplace_back([&] {
      ZmqClient client(context_, endpoint_);
      while (!stop)
        client.try_send_json(body);
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto start = std::chrono::steady_clock::now();
  expect_alive();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  stop = true;
  for (auto& attacker : attackers)
    attacker.join();
}

TEST_F(ZmqDoor, DisconnectsAClientWhoseFrameIsTooLarge) {
  {
    ZmqClient client(context_, endpoint_);
    client.send_json(std::string(100000, 'x'));
    expect_alive();
  }
  expect_alive();
}

TEST_F(ZmqDoor, KeepsClientsWithTheSameIdsApart) {
  ZmqClient one(context_, endpoint_), two(context_, endpoint_);
  one.send_json(R"({"id":"a","prompt":"hello","max_tokens":5,"temperature":0})");
  two.send_json(R"({"id":"a","prompt":"world","max_tokens":5,"temperature":0})");
  const auto text_of = [](ZmqClient& client) {
    return *client.receive().find("choices")->as_array().at(0).find("token_ids");
  };
  EXPECT_NE(text_of(one), text_of(two));
}

TEST_F(RuntimeTest, AZmqDoorRefusesAnAddressThatOthersReach) {
  for (const std::string address :
       {"tcp://0.0.0.0:*", "tcp://127.example.org:5555", "tcp://127.0.0.1.example.org:5555",
        "tcp://localhost.example.org:5555", "tcp://[::]:*"}) {
    auto toml = plain_pipeline();
    const std::string plugin = "plugin = \"embed\"";
    toml.replace(toml.find(plugin), plugin.size(),
                 "plugin = \"zmq\"\nparams = { bind = \"" + address + "\" }");
    auto spec = pipeline::load_pipeline(pipeline::PipelineSource{toml, "test.toml"}, {}, catalog_);
    ASSERT_TRUE(spec);
    auto engine = Engine::open(*spec, catalog_);
    ASSERT_FALSE(engine) << address;
    EXPECT_NE(engine.error().message().find("expected a loopback address, or expose = true"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace troupe::testing
