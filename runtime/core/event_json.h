#pragma once
#include "troupe/api/event.h"
#include "troupe/api/tokenizer.h"
#include "troupe/api/value.h"

#include <vector>

namespace troupe {

/// An event as doors send it to clients: {"id", "event", ...}; see docs/protocol.md.
Value event_to_json(const TokenEvent& event);

/// An error as clients see it: {"code", "message"} and, when it helps, "retry_after_ms".
Value error_to_json(const Error& error, double retry_after_ms = 0);

Value usage_to_json(const Usage& usage);
Value timings_to_json(const Timings& timings);

/// A token and its log-probability: {"token", "text", "bytes", "logprob", "top": [...]}. `tokens`
/// gives the text, in which U+FFFD stands for bytes that are no character by themselves, and the
/// bytes; without it both are left out. Control tokens have neither.
Value score_to_json(const TokenScore& score, const TokenTable* tokens);
/// The scores of an answer's tokens.
Value scores_to_json(const std::vector<TokenScore>& scores, const TokenTable* tokens);
/// The scores of a prompt's tokens: the first, which nothing stands before, has the logprob null.
Value prompt_scores_to_json(const std::vector<TokenScore>& scores, const TokenTable* tokens);

}  // namespace troupe
