// The half of ContinuousScheduler that takes a step's outcome.
#include "continuous.h"
#include "ending.h"
#include "events.h"

#include <algorithm>
#include <string>

namespace troupe::continuous {

void ContinuousScheduler::complete(const StepResult& result, const SampledTokens& sampled, Time now,
                                   EventSink& events) {
  TROUPE_CHECK(under_way_);
  under_way_ = false;
  if (result.error) return fail_step(*result.error, now, events);
  for (const auto& [id, error] : result.failed)
    for (const auto& share : shares_)
      if (share.sequence->id == id && share.sequence->state == State::running)
        end(*share.sequence->group, FinishReason::error, error, now, events);
  std::size_t next = 0;
  for (const auto& share : shares_) {
    const SampledToken* token = nullptr;
    if (share.draws) {
      TROUPE_CHECK(next < sampled.tokens.size());
      token = &sampled.tokens[next++];
    }
    Sequence& sequence = *share.sequence;
    if (sequence.state != State::running) continue;  // cancelled while the step was under way
    sequence.num_computed += share.num_tokens;
    if (sequence.suspect_until > 0 && sequence.num_computed >= sequence.suspect_until) {
      sequence.suspect_until = 0;
      --suspects_;
    }
    if (token != nullptr) accept(sequence, *token, now, events);
  }
}

void ContinuousScheduler::accept(Sequence& sequence, const SampledToken& sampled, Time now,
                                 EventSink& events) {
  Group& group = *sequence.group;
  const auto refuse = [&](Error error) {
    end(group, FinishReason::error, std::move(error), now, events);
  };
  if (sampled.error) return refuse(*sampled.error);
  if (sampled.sequence != sequence.id || sampled.token < 0 || sampled.token >= options_.vocab_size)
    return refuse(
        Error(ErrorCode::internal, "the sampler gave token " + std::to_string(sampled.token) +
                                       " of sequence " + std::to_string(sampled.sequence.value) +
                                       " for sequence " + std::to_string(sequence.id.value)));
  if (group.params().sampling.logprobs >= 0) {
    if (!sampled.chosen)
      return refuse(Error(ErrorCode::unsupported, "the sampler reports no log-probabilities"));
    sequence.unsent_scores.push_back({*sampled.chosen, sampled.top});
  }
  advance(sequence, sampled.token, now, events);
}

void ContinuousScheduler::advance(Sequence& sequence, TokenId token, Time now, EventSink& events) {
  Group& group = *sequence.group;
  sequence.ids.push_back(token);
  group.last_token = now;
  if (!group.first_token) group.first_token = now;
  auto ending = judge_last_token(sequence);
  const bool finished = ending.finish != FinishReason::none;
  const auto sendable = take_sendable(sequence, finished);
  if (sendable == 0 && !finished) return;
  if (finished) leave(sequence, ending.finish);
  const bool last = group.num_open == 0;
  auto event = make_event(group, sequence.choice, last, now);
  move_tokens(sequence, sendable, event);
  event.finish = ending.finish;
  event.trim_bytes = static_cast<std::uint32_t>(ending.trim_bytes);
  event.stop_match = std::move(ending.stop_match);
  events.emit(std::move(event));
  if (!last) return;
  count_end(FinishReason::stop, now);
  bury(group);
}

}  // namespace troupe::continuous
