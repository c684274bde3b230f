#pragma once
#include "troupe/scheduling/sequence.h"

#include <cstddef>
#include <string>

namespace troupe::scheduling {

/// Whether and how the token drawn last ends its choice.
struct Ending {
  FinishReason finish = FinishReason::none;
  std::size_t trim_bytes = 0;  // of the text of all tokens so far, at its end
  std::string stop_match;      // the stop string, if one did it
};

/// Judges the last token of `sequence.ids` and lets the stop matcher see it. A token that ends
/// generation is part of the ids and counted, but not of the text. The first min_tokens tokens end
/// nothing and are not searched for stop strings. Pre: it is an output token.
Ending judge_last_token(Sequence& sequence);

/// How many of the unsent tokens may be sent now: all of a finished choice, otherwise those that
/// can be no part of a stop string any more. Takes them out of the matcher.
std::size_t take_sendable(Sequence& sequence, bool finished);

/// The ids that may not be drawn next: while min_tokens is not reached, those that would end it.
inline std::span<const TokenId> banned_next(const Sequence& sequence) {
  const Group& group = *sequence.group;
  const auto num_output = static_cast<std::int64_t>(group.num_output_tokens(sequence));
  if (num_output >= group.min_tokens) return {};
  return group.stop_ids;
}

}  // namespace troupe::scheduling
