#pragma once
#include "troupe/api/event.h"
#include "troupe/api/value.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// One choice of an answer, put together from its events.
struct Choice {
  std::string text;
  std::vector<TokenId> token_ids;
  std::vector<TokenScore> scores;
  FinishReason finish = FinishReason::none;
  std::string stop_match;
};

/// All that came of a request.
struct Answer {
  std::vector<Choice> choices;
  std::vector<TokenScore> prompt_scores;     // see TokenEvent
  std::shared_ptr<const TokenTable> tokens;  // the text of ids, when an event came with it
  Usage usage;
  Timings timings;
  std::optional<Error> error;
  double retry_after_ms = 0;

  /// Takes one more event in. Pre: events come in their order.
  void add(const TokenEvent& event);
};

/// {"text", "token_ids", "finish_reason"} and, where there are any, "stop" and "logprobs".
Value to_value(const Choice& choice, const TokenTable* tokens);

/// The choices of an answer: those of `to_value`, in their order.
Value choices_to_value(const Answer& answer);

/// The answer as `troupe run --json` prints it: text, token_ids, finish_reason, usage, timings, and
/// `choices` when there are several, `prompt_logprobs` when asked for; or error.
Value to_value(const Answer& answer);

}  // namespace troupe
