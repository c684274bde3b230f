#pragma once
#include "troupe/api/event.h"
#include "troupe/api/operator.h"
#include "troupe/api/request.h"

#include <optional>
#include <string>

namespace troupe {

/// What a stage decided about a request.
struct StageVerdict {
  enum class Action { pass, refuse, reply };
  Action action = Action::pass;
  std::optional<Error> error;  // with refuse: what the client is told
  std::string text;            // with reply: the answer, given in place of the model's

  static StageVerdict pass() { return {}; }
  static StageVerdict refuse(Error error) { return {Action::refuse, std::move(error), {}}; }
  static StageVerdict reply(std::string text) {
    return {Action::reply, std::nullopt, std::move(text)};
  }
};

/// Sees requests, and events when the pipeline sends them through it, in passing.
class Stage : public Operator {
 public:
  /// May change the request.
  virtual StageVerdict on_request(Request& request) = 0;
  /// May change the event's text; ids, order and terminal marks are the runtime's.
  virtual void on_event(TokenEvent& event) { static_cast<void>(event); }
};

}  // namespace troupe
