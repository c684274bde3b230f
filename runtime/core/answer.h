#pragma once
#include "troupe/api/event.h"

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
  Usage usage;
  Timings timings;
  std::optional<Error> error;
  double retry_after_ms = 0;

  /// Takes one more event in. Pre: events come in their order.
  void add(const TokenEvent& event);
};

/// The answer as `troupe run --json` prints it: text, token_ids, finish_reason, usage, timings, and
/// `choices` when there are several; or error.
Value to_value(const Answer& answer);

}  // namespace troupe
