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
    const auto& stop = group.params().stop;
    const auto bytes = bytes_of(group, token);
    if (is_stop_id(group, token))
      return {FinishReason::stop, stop.include_stop_str_in_output ? 0 : bytes.size(), {}};
    if (sequence.matcher)
      if (const auto match = sequence.matcher->push(bytes)) {
        const auto& text = stop.stop[match->index];
        const std::size_t kept = stop.include_stop_str_in_output ? text.size() : 0;
        return {FinishReason::stop, match->trim_bytes - kept, text};
      }
  }
  if (sequence.num_tokens() >= group.max_tokens) return {FinishReason::length, 0, {}};
  return {};
}

std::size_t take_sendable(Sequence& sequence, bool finished) {
  const auto unsent = sequence.group->num_output_tokens(sequence) - sequence.tokens_sent;
  if (finished || !sequence.matcher) return unsent;
  if (sequence.group->params().stop.include_stop_str_in_output) {
    sequence.matcher->release_all();  // what ends the text is sent like all of it
    return unsent;
  }
  sequence.matcher->release();
  return unsent - sequence.matcher->held_tokens();
}

}  // namespace troupe::scheduling
