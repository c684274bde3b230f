#include "troupe/scheduling/ending.h"

#include <algorithm>

namespace troupe::scheduling {
namespace {

bool is_stop_id(const Group& group, TokenId token) {
  return std::binary_search(group.stop_ids.begin(), group.stop_ids.end(), token);
}

std::string_view bytes_of(const Group& group, TokenId token) {
  const auto& tokens = group.request->tokens;
  return tokens && token < tokens->size() ? tokens->bytes(token) : std::string_view();
}

}  // namespace

Ending judge_last_token(Sequence& sequence) {
  const auto& group = *sequence.group;
  const TokenId token = sequence.ids.back();
  const auto num_output = static_cast<std::int64_t>(group.num_output_tokens(sequence));
  if (num_output > group.min_tokens) {
    if (is_stop_id(group, token)) return {FinishReason::stop, bytes_of(group, token).size(), {}};
    if (sequence.matcher)
      if (const auto match = sequence.matcher->push(bytes_of(group, token)))
        return {FinishReason::stop, match->trim_bytes, group.params().stop.stop[match->index]};
  }
  if (sequence.num_tokens() >= group.max_tokens) return {FinishReason::length, 0, {}};
  return {};
}

std::size_t take_sendable(Sequence& sequence, bool finished) {
  const auto unsent = sequence.group->num_output_tokens(sequence) - sequence.tokens_sent;
  if (finished || !sequence.matcher) return unsent;
  sequence.matcher->release();
  return unsent - sequence.matcher->held_tokens();
}

}  // namespace troupe::scheduling
