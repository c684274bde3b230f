#pragma once
#include "troupe/api/request.h"
#include "troupe/api/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

enum class FinishReason : std::uint8_t {
  none,       // the choice goes on
  stop,       // an end-of-generation token, a stop id or a stop string
  length,     // max_tokens, or the context is full
  cancelled,  // the client took the request back
  error,      // TokenEvent::error says what happened
};

constexpr std::string_view to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::none:
      return "none";
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::cancelled:
      return "cancelled";
    case FinishReason::error:
      return "error";
  }
  return "unknown";
}

struct Usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;  // over all choices
  std::int64_t cached_tokens = 0;      // prompt tokens taken from the prefix cache
};

/// Where a request's time went, in milliseconds since it arrived.
struct Timings {
  double queue_ms = 0;    // until its first token was scheduled
  double prefill_ms = 0;  // from then until its first token was drawn
  double ttft_ms = 0;     // until its first token was drawn
  double tpot_ms = 0;     // mean time per further token
  double e2e_ms = 0;      // until its end
};

/// What the model said of one drawn token.
struct TokenScore {
  TokenLogprob chosen;
  std::vector<TokenLogprob> top;  // most probable first
};

/// News of one choice of a request, on its way to the client. From the scheduler it carries ids;
/// the tokenizer adds their text. A request gets exactly one event with `last` set, after all
/// others.
struct TokenEvent {
  std::shared_ptr<RequestContext> context;
  std::string client_id;
  std::int32_t choice = 0;
  std::uint64_t number = 0;        // counts the events of a request from 0
  std::vector<TokenId> token_ids;  // new ids, in order
  std::vector<TokenScore> scores;  // one per id when log-probabilities were asked for, else empty
  /// One per token of the prompt, when asked for: once in a request, with choice 0. Of the first
  /// token, which nothing stands before, only the id counts.
  std::vector<TokenScore> prompt_scores;
  std::string text;  // of these ids; whole characters only
  /// Bytes of the text of `token_ids` that belong to a stop string and are to be cut off at the
  /// end.
  std::uint32_t trim_bytes = 0;
  FinishReason finish = FinishReason::none;  // of this choice
  std::string stop_match;                    // the stop string that ended the choice, if one did
  bool last = false;                         // of the request
  std::optional<Error> error;                // with finish == error
  double retry_after_ms = 0;  // > 0 with resource_exhausted: when trying again may help
  Usage usage;                // with last
  Timings timings;            // with last
};

}  // namespace troupe
