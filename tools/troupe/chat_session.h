#pragma once
#include "conversation.h"
#include "request_options.h"
#include "signal_watch.h"
#include "troupe/engine/engine.h"

#include <string>

namespace troupe::program {

/// A chat with an open pipeline: takes lines, which are commands ("/help") or messages, and prints
/// answers as they come.
class ChatSession {
 public:
  ChatSession(Engine& engine, SignalWatch& signals, const RequestOptions& options,
              std::string system)
      : engine_(engine), signals_(signals), options_(options) {
    conversation_.set_system(std::move(system));
  }

  /// False when the user wants to leave.
  bool take(const std::string& line);

  /// Whether the latest message got an answer.
  bool answered() const { return answered_; }
  const Conversation& conversation() const { return conversation_; }

 private:
  bool take_command(const std::string& line);
  void ask(const std::string& text);
  void end_answer(const Answer& answer);

  Engine& engine_;
  SignalWatch& signals_;
  const RequestOptions& options_;
  Conversation conversation_;
  bool answered_ = true;
};

}  // namespace troupe::program
