#include "chat_session.h"

#include "open_engine.h"
#include "terminal.h"

#include <cstdio>

namespace troupe::program {
namespace {

constexpr const char* kHelp =
    "/reset          forget the conversation\n"
    "/system TEXT    tell the model this before the first message; without TEXT: nothing\n"
    "/help           this list\n"
    "/exit           leave, like Ctrl-D; Ctrl-C stops an answer\n"
    "//...           a message that begins with '/'\n";

void say(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace

bool ChatSession::take(const std::string& line) {
  if (line.find_first_not_of(" \t") == std::string::npos) return true;
  if (line.starts_with("//"))
    ask(line.substr(1));
  else if (line.starts_with("/"))
    return take_command(line);
  else
    ask(line);
  return true;
}

bool ChatSession::take_command(const std::string& line) {
  const auto space = line.find(' ');
  const auto name = line.substr(0, space);
  if (name == "/exit" || name == "/quit") return false;
  if (name == "/help") {
    std::fputs(kHelp, stderr);
  } else if (name == "/reset") {
    conversation_.reset();
    say(dimmed("the conversation is forgotten"));
  } else if (name == "/system") {
    conversation_.set_system(space == std::string::npos ? "" : line.substr(space + 1));
    say(dimmed(conversation_.system().empty() ? "the model is told nothing before"
                                              : "the model will be told this before"));
  } else {
    say("found no command " + name + "; /help lists them, and // begins a message with '/'");
  }
  return true;
}

void ChatSession::ask(const std::string& text) {
  conversation_.add_user(text);
  Request request;
  static_cast<void>(options_.apply(request));  // checked before the session began
  request.kind = RequestKind::chat;
  request.stream = true;
  request.messages = conversation_.messages();
  const auto answer = stream_answer(engine_, std::move(request), signals_, print_now);
  answered_ = answer && !answer->error;
  if (answered_) return end_answer(*answer);
  conversation_.drop_last();
  say("error: " + (answer ? *answer->error : answer.error()).message());
  if (conversation_.size() > 0)
    say(dimmed("the message was taken back; /reset makes room for a new conversation"));
}

void ChatSession::end_answer(const Answer& answer) {
  const auto& choice = answer.choices.front();
  std::printf("\n");
  std::fflush(stdout);
  if (choice.finish == FinishReason::cancelled) say(dimmed("(stopped)"));
  if (choice.finish == FinishReason::length) say(dimmed("(the answer was cut off here)"));
  conversation_.add_assistant(choice.text);
}

}  // namespace troupe::program
