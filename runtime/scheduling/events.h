#pragma once
#include "troupe/scheduling/ending.h"
#include "troupe/scheduling/sequence.h"

#include <optional>

namespace troupe::scheduling {

/// The next event of a request, with its number; `last` fills in usage and timings as of `now`.
TokenEvent make_event(Group& group, std::int32_t choice, bool last, Time now);

/// The next event of a request with `count` unsent tokens of a choice, and their scores, and how
/// the choice ends, if it does. Takes the tokens out of the unsent ones.
TokenEvent make_token_event(Sequence& sequence, std::size_t count, Ending ending, bool last,
                            Time now);

/// The event that ends a request before its choices ended by themselves.
TokenEvent make_end(Group& group, FinishReason finish, std::optional<Error> error, Time now);

/// The events of a request that asks for no token, one per choice.
void end_without_tokens(Group& group, Time now, EventSink& events);

/// The one event of a request that was never accepted.
TokenEvent make_refusal(const TokenizedRequest& request, Error error, double retry_after_ms,
                        Time now);

/// Why a sequence ends that has the pool to itself, so that waiting would not help.
Error no_room(const Sequence& sequence, std::int32_t short_of_blocks);

/// Milliseconds from `from` to `to`.
double ms_between(Time from, Time to);

}  // namespace troupe::scheduling
