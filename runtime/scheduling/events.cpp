#include "troupe/scheduling/events.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace troupe::scheduling {
namespace {

Usage usage_of(const Group& group) {
  Usage usage;
  usage.prompt_tokens = static_cast<std::int64_t>(group.num_prompt_tokens());
  usage.cached_tokens = group.cached_tokens;
  for (const auto& sequence : group.sequences)
    usage.completion_tokens += static_cast<std::int64_t>(group.num_output_tokens(sequence));
  return usage;
}

Timings timings_of(const Group& group, Time now) {
  const Time arrived = group.params().context->arrived;
  Timings timings;
  timings.e2e_ms = ms_between(arrived, now);
  timings.queue_ms = ms_between(arrived, group.first_scheduled.value_or(now));
  if (!group.first_token) return timings;
  timings.prefill_ms = ms_between(*group.first_scheduled, *group.first_token);
  timings.ttft_ms = ms_between(arrived, *group.first_token);
  std::size_t longest = 0;
  for (const auto& sequence : group.sequences)
    longest = std::max(longest, group.num_output_tokens(sequence));
  if (longest > 1)
    timings.tpot_ms =
        ms_between(*group.first_token, group.last_token) / static_cast<double>(longest - 1);
  return timings;
}

/// Moves `count` unsent tokens of the sequence, and their scores, into the event.
void move_tokens(Sequence& sequence, std::size_t count, TokenEvent& event) {
  const auto begin =
      sequence.ids.begin() +
      static_cast<std::ptrdiff_t>(sequence.group->num_prompt_tokens() + sequence.tokens_sent);
  event.token_ids.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  sequence.tokens_sent += count;
  if (!sequence.group->wants_logprobs) return;
  const auto scores = sequence.unsent_scores.begin();
  const auto end = scores + static_cast<std::ptrdiff_t>(count);
  event.scores.assign(std::make_move_iterator(scores), std::make_move_iterator(end));
  sequence.unsent_scores.erase(scores, end);
}

}  // namespace

double ms_between(Time from, Time to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

TokenEvent make_event(Group& group, std::int32_t choice, bool last, Time now) {
  TokenEvent event;
  event.context = group.params().context;
  event.client_id = group.params().client_id;
  event.choice = choice;
  event.number = group.events_sent++;
  event.last = last;
  if (last) {
    event.usage = usage_of(group);
    event.timings = timings_of(group, now);
  }
  return event;
}

TokenEvent make_token_event(Sequence& sequence, std::size_t count, Ending ending, bool last,
                            Time now) {
  auto event = make_event(*sequence.group, sequence.choice, last, now);
  move_tokens(sequence, count, event);
  event.finish = ending.finish;
  event.trim_bytes = static_cast<std::uint32_t>(ending.trim_bytes);
  event.stop_match = std::move(ending.stop_match);
  return event;
}

TokenEvent make_end(Group& group, FinishReason finish, std::optional<Error> error, Time now) {
  const auto open = std::find_if(group.sequences.begin(), group.sequences.end(),
                                 [](const Sequence& s) { return s.finish == FinishReason::none; });
  auto event = make_event(group, open == group.sequences.end() ? 0 : open->choice, true, now);
  event.finish = finish;
  event.error = std::move(error);
  return event;
}

Error no_room(const Sequence& sequence, std::int32_t short_of_blocks) {
  return Error(ErrorCode::resource_exhausted,
               "the KV cache lacks " + std::to_string(short_of_blocks) + " blocks for " +
                   std::to_string(sequence.num_tokens()) + " tokens, with nothing else running");
}

void end_without_tokens(Group& group, Time now, EventSink& events) {
  for (const auto& sequence : group.sequences) {
    const bool last = &sequence == &group.sequences.back();
    auto event = make_event(group, sequence.choice, last, now);
    event.finish = FinishReason::length;
    events.emit(std::move(event));
  }
}

TokenEvent make_refusal(const TokenizedRequest& request, Error error, double retry_after_ms,
                        Time now) {
  const bool cancelled = error.code() == ErrorCode::cancelled;
  TokenEvent event;
  event.context = request.request->context;
  event.client_id = request.request->client_id;
  event.finish = cancelled ? FinishReason::cancelled : FinishReason::error;
  if (!cancelled) event.error = std::move(error);
  event.retry_after_ms = retry_after_ms;
  event.last = true;
  event.usage.prompt_tokens = static_cast<std::int64_t>(request.prompt_ids.size());
  event.timings.e2e_ms = ms_between(event.context->arrived, now);
  event.timings.queue_ms = event.timings.e2e_ms;
  return event;
}

}  // namespace troupe::scheduling
