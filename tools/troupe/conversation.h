#pragma once
#include "troupe/api/request.h"
#include "troupe/api/value.h"

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::program {

/// The messages of a chat so far.
class Conversation {
 public:
  /// Sets what the model is told before the first message; empty = nothing.
  void set_system(std::string text) { system_ = std::move(text); }
  const std::string& system() const { return system_; }

  void add_user(std::string text) { add("user", std::move(text)); }
  void add_assistant(std::string text) { add("assistant", std::move(text)); }
  /// Takes the latest message back: a question without an answer. Pre: there is one.
  void drop_last() { messages_.pop_back(); }
  /// Forgets all messages; what the model is told before them stays.
  void reset() { messages_.clear(); }
  std::size_t size() const { return messages_.size(); }

  /// All messages as a request carries them.
  std::vector<Value> messages() const {
    std::vector<Value> all;
    if (!system_.empty()) all.push_back(message("system", system_));
    all.insert(all.end(), messages_.begin(), messages_.end());
    return all;
  }

 private:
  static Value message(const char* role, std::string text) {
    Value message;
    message.set("role", role);
    message.set("content", std::move(text));
    return message;
  }
  void add(const char* role, std::string text) {
    messages_.push_back(message(role, std::move(text)));
  }

  std::string system_;
  std::vector<Value> messages_;
};

}  // namespace troupe::program
