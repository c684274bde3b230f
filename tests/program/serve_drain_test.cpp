// `troupe serve` is told to end while requests run.
#include "program_fixture.h"
#include "troupe/core/json.h"
#include "zmq_client.h"

#include <gmock/gmock.h>
#include <zmq.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace troupe::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// Guards against what never ends, not limits on how long something may take.
constexpr seconds kNever{60};

/// What a client got of one request.
struct Received {
  std::string text;
  int ends = 0;
  Value end;
};

class ServeDrain : public ProgramTest {
 protected:
  ServeDrain() : context_(zmq_ctx_new()) {}
  ~ServeDrain() override {
    clients_.clear();
    zmq_ctx_term(context_);
  }

  /// The words that start a server whose executor is the one of held_executor/.
  std::vector<std::string> words(const std::string& drain_s, int step_us = 0) const {
    const auto pipeline = chat_pipeline(
        "held", "plugin = \"zmq\"\nparams = { bind = \"" + endpoint() + "\" }",
        "plugin = \"held\"\nparams = { hold = \"" + path("hold") + "\", hold_start = \"" +
            path("hold_start") + "\", step_us = " + std::to_string(step_us) + " }");
    return {"serve",     pipeline, "--plugin-path", TROUPE_BINARY_DIR "/tests/program_plugins",
            "--drain-s", drain_s};
  }
  std::string endpoint() const { return "ipc://" + path("door.ipc"); }

  void hold(const std::string& what = "hold") const { write_file(what, ""); }
  void release(const std::string& what = "hold") const {
    fs::remove(path(what));
    fs::remove(path(what + ".reached"));
  }
  /// False: it never got there; the program may have ended.
  bool wait_until_held(const std::string& what = "hold") const {
    const auto deadline = std::chrono::steady_clock::now() + kNever;
    while (!fs::exists(path(what + ".reached"))) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      usleep(1000);
    }
    return true;
  }

  ZmqClient& connect() {
    clients_.push_back(std::make_unique<ZmqClient>(context_, endpoint()));
    return *clients_.back();
  }

  static void ask(ZmqClient& client, const std::string& id, int max_tokens, bool stream) {
    client.send_json(R"({"id":")" + id + R"(","prompt":"x","temperature":0,"ignore_eos":true,)" +
                     R"("max_tokens":)" + std::to_string(max_tokens) +
                     (stream ? R"(,"stream":true})" : "}"));
  }

  /// Sends a request and waits until the door has it under way.
  static void ask_and_wait(ZmqClient& client, const std::string& id, int max_tokens, bool stream) {
    ask(client, id, max_tokens, stream);
    if (stream) {
      ASSERT_EQ(client.receive(kNever).find("id")->as_string(), id);
      return;
    }
    ask(client, id, 1, false);  // its id is taken, once the first is there
    EXPECT_EQ(client.error(), "id: '" + id + "' is the id of a request under way");
  }

  static std::string text_of(const Value& event) {
    const auto* text = event.find("text");
    if (text) return text->as_string();
    const auto* choices = event.find("choices");
    return choices ? choices->as_array().at(0).find("text")->as_string() : "";
  }

  /// Everything up to the request's end.
  static Received read_to_end(ZmqClient& client) {
    Received received;
    while (received.ends == 0) {
      const auto event = client.receive(kNever);
      if (event.is_null()) break;
      received.text += text_of(event);
      if (event.find("event")->as_string() != "end") continue;
      ++received.ends;
      received.end = event;
    }
    return received;
  }

  static std::string finish_of(const Received& received) {
    const auto* choices = received.end.find("choices");
    const auto& holder = choices ? choices->as_array().at(0) : received.end;
    const auto* finish = holder.find("finish_reason");
    return finish ? finish->as_string() : to_json(received.end);
  }

  static void expect_no_more(ZmqClient& client) {
    const auto more = client.receive(std::chrono::milliseconds(50));
    EXPECT_TRUE(more.is_null()) << to_json(more);
  }

  void* context_;
  std::vector<std::unique_ptr<ZmqClient>> clients_;
};

TEST_F(ServeDrain, AnswersWhatRunsWholeAndRefusesWhatComes) {
  constexpr int kTokens = 20000;
  for (const int signal : {SIGTERM, SIGINT}) {
    Process process(words("600"));
    ASSERT_TRUE(process.wait_for("ready\n", kNever)) << process.err();
    auto &streaming = connect(), &waiting = connect(), &late = connect();
    ask(streaming, "undisturbed", kTokens, true);
    const auto undisturbed = read_to_end(streaming).text;
    ASSERT_EQ(undisturbed.size(), std::size_t{kTokens});

    hold();
    ask(streaming, "stream", kTokens, true);
    const auto first = streaming.receive(kNever);
    ASSERT_TRUE(wait_until_held()) << process.err();
    ask_and_wait(waiting, "whole", kTokens, false);
    process.send_signal(signal);
    ASSERT_TRUE(process.wait_for("at most 600 s for 2 requests to end", kNever)) << process.err();
    ask(late, "late", 1, false);  // nothing runs: whoever answers does so at once
    const auto refused = late.receive(kNever);
    ASSERT_TRUE(refused.find("error")) << to_json(refused);
    EXPECT_EQ(refused.find("error")->find("code")->as_string(), "cancelled");
    EXPECT_EQ(refused.find("id")->as_string(), "late");

    release();
    // Whoever streams reads last: by then more has piled up than the door's queue takes.
    const auto whole = read_to_end(waiting);
    const auto streamed = read_to_end(streaming);
    EXPECT_EQ(text_of(first) + streamed.text, undisturbed) << strsignal(signal);
    EXPECT_EQ(whole.text, undisturbed) << strsignal(signal);
    EXPECT_EQ(finish_of(streamed), "length");
    EXPECT_EQ(finish_of(whole), "length");
    const auto finished = process.wait();
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    for (auto* client : {&streaming, &waiting, &late})
      expect_no_more(*client);
  }
}

TEST_F(ServeDrain, CancelsWhatStillRunsAtTheLimit) {
  Process process(words("0", 1000));
  ASSERT_TRUE(process.wait_for("ready\n", kNever)) << process.err();
  auto &streaming = connect(), &waiting = connect();
  ask_and_wait(waiting, "whole", 1000000, false);
  ask_and_wait(streaming, "stream", 1000000, true);
  process.send_signal(SIGTERM);
  for (auto* client : {&streaming, &waiting}) {
    const auto received = read_to_end(*client);
    EXPECT_EQ(received.ends, 1);
    EXPECT_EQ(finish_of(received), "cancelled");
  }
  const auto finished = process.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  for (auto* client : {&streaming, &waiting})
    expect_no_more(*client);
}

TEST_F(ServeDrain, ASecondSignalCancelsAtOnce) {
  for (const int second : {SIGTERM, SIGINT}) {
    Process process(words("600", 1000));
    ASSERT_TRUE(process.wait_for("ready\n", kNever)) << process.err();
    auto& client = connect();
    ask_and_wait(client, "stream", 1000000, true);
    process.send_signal(SIGTERM);
    ASSERT_TRUE(process.wait_for("for 1 request to end", kNever)) << process.err();
    process.send_signal(second);
    const auto received = read_to_end(client);
    EXPECT_EQ(received.ends, 1);
    EXPECT_EQ(finish_of(received), "cancelled");
    const auto finished = process.wait();
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    expect_no_more(client);
  }
}

TEST_F(ServeDrain, TellsClientsAndEndsEvenWhenAStepNeverDoes) {
  Process process(words("0"));
  ASSERT_TRUE(process.wait_for("ready\n", kNever)) << process.err();
  auto& client = connect();
  hold();
  ask(client, "whole", 1000, false);
  ASSERT_TRUE(wait_until_held()) << process.err();
  process.send_signal(SIGTERM);
  const auto received = read_to_end(client);
  ASSERT_TRUE(received.end.find("error")) << to_json(received.end);
  EXPECT_EQ(received.end.find("error")->find("code")->as_string(), "cancelled");
  const auto finished = process.wait();
  EXPECT_EQ(finished.exit_code, 1) << finished.err;
  EXPECT_EQ(finished.signal, 0);
  EXPECT_THAT(finished.err, HasSubstr("error: "));
  release();
}

TEST_F(ServeDrain, ASignalWhileTheModelLoadsEndsItBeforeTheLoadDoes) {
  for (const int signal : {SIGTERM, SIGINT}) {
    hold("hold_start");
    Process process(words("600"));
    ASSERT_TRUE(wait_until_held("hold_start")) << process.err();
    process.send_signal(signal);
    const auto finished = process.wait();
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(finished.signal, 0);
    release("hold_start");
  }
}

}  // namespace
}  // namespace troupe::testing
