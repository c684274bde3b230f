// The part of BatchScheduler that takes a step's outcome.
#include "troupe/api/check.h"
#include "troupe/scheduling/batch_scheduler.h"
#include "troupe/scheduling/ending.h"
#include "troupe/scheduling/events.h"

#include <algorithm>
#include <span>
#include <string>

namespace troupe::scheduling {

void BatchScheduler::complete(const StepResult& result, const SampledTokens& sampled, Time now,
                              EventSink& events) {
  TROUPE_CHECK(under_way_);
  under_way_ = false;
  if (result.error)
    fail_step(*result.error, now, events);
  else
    take_outcome(result, sampled, now, events);
  end_turn();
}

void BatchScheduler::take_outcome(const StepResult& result, const SampledTokens& sampled, Time now,
                                  EventSink& events) {
  learn(result.timings);
  take_failures(result, now, events);
  std::size_t next = 0;
  for (const auto& share : shares_) {
    const auto first = next;
    next += static_cast<std::size_t>(share.num_scored + share.num_draws);
    TROUPE_CHECK(next <= sampled.tokens.size());
    if (share.sequence->state != State::running) continue;  // it ended or was lost in this step
    count_computed(*share.sequence, share.num_tokens);
    const auto tokens = std::span(sampled.tokens).subspan(first, next - first);
    const auto num_scored = static_cast<std::size_t>(share.num_scored);
    if (!take_prompt_scores(share, tokens.first(num_scored), now, events)) continue;
    if (share.num_draws > 0) take_tokens(share, &tokens[num_scored], now, events);
  }
}

bool BatchScheduler::take_prompt_scores(const Share& share, std::span<const SampledToken> scored,
                                        Time now, EventSink& events) {
  Sequence& sequence = *share.sequence;
  Group& group = *sequence.group;
  if (!group.needs_every_row(sequence)) return true;
  auto& scores = sequence.prompt_scores;
  if (scores.empty()) scores.push_back({{sequence.ids.front(), 0}, {}});
  // Some may be computed again, after it lost its blocks.
  const auto start = static_cast<std::size_t>(sequence.num_computed - share.num_tokens);
  TROUPE_CHECK(start < scores.size());
  scores.resize(start + 1);
  for (const auto& token : scored) {
    auto good = token.error ? Result<void>(fail(*token.error)) : Result<void>();
    if (good && (!token.chosen || token.sequence != sequence.id))
      good = fail(ErrorCode::unsupported, "the sampler does not score the tokens of a prompt");
    if (!good) {
      end(group, FinishReason::error, good.error(), now, events);
      return false;
    }
    scores.push_back({*token.chosen, token.top});
  }
  if (scores.size() < group.num_prompt_tokens()) return true;
  group.prompt_scores_sent = true;
  auto event = make_event(group, sequence.choice, false, now);
  event.prompt_scores = std::move(scores);
  events.emit(std::move(event));
  if (!group.wants_no_token()) return true;
  end_without_tokens(group, now, events);
  for (auto& choice : group.sequences)
    leave(choice, FinishReason::length);
  count_end(FinishReason::length, now);
  bury(group);
  return false;
}

void BatchScheduler::learn(const StepTimings& timings) {
  step_.total_us = timings.total_us;
  step_.swap_us = timings.swap_us;
  cost_.learn(step_);
  if (step_.decode_tokens > 0) tried_prefill_ = std::max(tried_prefill_, step_.prefill_tokens);
}

void BatchScheduler::take_failures(const StepResult& result, Time now, EventSink& events) {
  for (const SequenceId id : result.lost)
    lose(id);
  for (const auto& [id, error] : result.failed) {
    Sequence* sequence = find_share(id);
    if (sequence == nullptr || sequence->state != State::running) continue;
    sequence->untrusted = true;
    end(*sequence->group, FinishReason::error, error, now, events);
  }
}

Sequence* BatchScheduler::find_share(SequenceId id) {
  for (const auto& share : shares_)
    if (share.sequence->id == id) return share.sequence;
  return nullptr;
}

void BatchScheduler::lose(SequenceId id) {
  Sequence* sequence = find_share(id);
  if (sequence != nullptr && sequence->state == State::running) {
    ++stats_.lost;
    sequence->untrusted = true;
    return preempt(*sequence, Cause::fault);
  }
  // It ended or was stopped meanwhile, or waits and what it moved to a lower tier is gone.
  const auto leaving = std::find_if(leaving_.begin(), leaving_.end(),
                                    [&](const Leaving& one) { return one.id == id; });
  if (leaving == leaving_.end())
    leaving_.push_back({id, AfterRelease::forget});
  else
    leaving->after = AfterRelease::forget;
  sequence = line_.find([&](const Sequence& one) { return one.id == id; });
  if (sequence == nullptr) return;
  ++stats_.lost;
  sequence->swapped = false;
}

void BatchScheduler::count_computed(Sequence& sequence, std::int32_t num_tokens) {
  const std::int32_t start = sequence.num_computed;
  sequence.num_computed += num_tokens;
  const std::int32_t known = std::clamp(sequence.num_charged, start, sequence.num_computed);
  stats_.recomputed_tokens += known - start;
  line_.charge(*sequence.group, sequence.num_computed - known);
  sequence.num_charged = std::max(sequence.num_charged, sequence.num_computed);
  if (sequence.suspect_until > 0 && sequence.num_computed >= sequence.suspect_until) {
    sequence.suspect_until = 0;
    --suspects_;
  }
}

void BatchScheduler::take_tokens(const Share& share, const SampledToken* tokens, Time now,
                                 EventSink& events) {
  Group& group = *share.sequence->group;
  accept(*share.sequence, *tokens++, now, events);
  if (share.num_draws == 1) return;
  for (auto& follower : group.sequences) {
    if (!follower.follows) continue;  // or the group ended meanwhile
    accept(follower, *tokens++, now, events);
    if (!follower.follows) continue;
    follower.follows = false;
    --following_;
    line_.push(follower);
  }
}

std::optional<Error> BatchScheduler::fault_of(const Sequence& sequence,
                                              const SampledToken& sampled) const {
  if (sampled.error) return sampled.error;
  if (sampled.sequence != sequence.id || sampled.token < 0 || sampled.token >= options_.vocab_size)
    return Error(ErrorCode::internal, "the sampler gave token " + std::to_string(sampled.token) +
                                          " of sequence " + std::to_string(sampled.sequence.value) +
                                          " for sequence " + std::to_string(sequence.id.value));
  if (sequence.group->wants_logprobs && !sampled.chosen)
    return Error(ErrorCode::unsupported, "the sampler reports no log-probabilities");
  if (sequence.group->has_mirostat && !sampled.surprise)
    return Error(ErrorCode::unsupported, "the sampler has no mirostat");
  return std::nullopt;
}

void BatchScheduler::accept(Sequence& sequence, const SampledToken& sampled, Time now,
                            EventSink& events) {
  Group& group = *sequence.group;
  if (auto fault = fault_of(sequence, sampled))
    return end(group, FinishReason::error, std::move(fault), now, events);
  if (group.wants_logprobs) sequence.unsent_scores.push_back({*sampled.chosen, sampled.top});
  if (group.has_mirostat) sequence.surprises.push_back(*sampled.surprise);
  advance(sequence, sampled.token, now, events);
}

void BatchScheduler::advance(Sequence& sequence, TokenId token, Time now, EventSink& events) {
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
  events.emit(make_token_event(sequence, sendable, std::move(ending), last, now));
  if (!last) return;
  count_end(FinishReason::stop, now);
  bury(group);
}

}  // namespace troupe::scheduling
