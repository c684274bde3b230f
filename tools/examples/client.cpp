// A ZeroMQ client: client ENDPOINT PROMPT. Streams the answer's text to standard output.
#include <nlohmann/json.hpp>
#include <zmq.hpp>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: client tcp://127.0.0.1:5555 PROMPT\n");
    return 2;
  }
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.connect(argv[1]);
  const nlohmann::json request = {{"id", "1"},
                                  {"messages", {{{"role", "user"}, {"content", argv[2]}}}},
                                  {"max_tokens", 64},
                                  {"temperature", 0},
                                  {"stream", true}};
  socket.send(zmq::str_buffer("troupe/1"), zmq::send_flags::sndmore);
  socket.send(zmq::buffer(request.dump()));
  for (;;) {
    zmq::message_t protocol, frame;
    if (!socket.recv(protocol) || !socket.recv(frame)) return 1;
    const auto event = nlohmann::json::parse(frame.to_string());
    if (event.contains("error")) {
      std::fprintf(stderr, "error: %s\n", event["error"]["message"].get<std::string>().c_str());
      return 1;
    }
    std::printf("%s", event["text"].get<std::string>().c_str());
    std::fflush(stdout);
    if (event["event"] == "end") break;
  }
  std::printf("\n");
}
