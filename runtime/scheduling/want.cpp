// The part of BatchScheduler that says what the next step would like.
#include "troupe/api/check.h"
#include "troupe/core/block_math.h"
#include "troupe/scheduling/batch_scheduler.h"

#include <algorithm>

namespace troupe::scheduling {

void BatchScheduler::want(Time now, BlockRequest& out) {
  TROUPE_CHECK(!under_way_);
  in_turn_ = true;
  dying_.clear();
  std::swap(dying_, buried_);
  shares_.clear();
  out.clear();
  out.step = StepId{static_cast<std::uint64_t>(stats_.steps) + 1};
  out.last_step_failed = last_step_failed_;
  last_step_failed_ = false;
  policy_->begin_turn(
      {now, static_cast<std::int64_t>(running_.size()), line_.size() + following_, arrivals_});
  displace();
  for (Sequence* sequence : running_)
    if (block_index(sequence->num_computed) > block_index(sequence->num_published))
      publish(*sequence, out);
  give_back(out);
  budget_ = options_.max_batch_tokens;
  share_out(out);
}

void BatchScheduler::publish(Sequence& sequence, BlockRequest& out) {
  if (sequence.num_published == sequence.num_computed) return;
  sequence.num_published = sequence.num_computed;
  out.publishes.push_back(
      {sequence.id, std::span<const TokenId>(sequence.ids)
                        .first(static_cast<std::size_t>(sequence.num_computed))});
}

void BatchScheduler::give_back(BlockRequest& out) {
  for (const auto& leaving : leaving_) {
    if (leaving.after != AfterRelease::forget && leaving.num_computed > 0)
      out.publishes.push_back(
          {leaving.id, std::span<const TokenId>(leaving.sequence->ids)
                           .first(static_cast<std::size_t>(leaving.num_computed))});
    out.releases.push_back({leaving.id, leaving.after});
  }
  leaving_.clear();
}

void BatchScheduler::displace() {
  if (line_.empty() || suspects_ > 0) return;
  const bool seats = static_cast<std::int64_t>(running_.size()) < options_.max_num_seqs;
  if (seats && head_short_of_ == 0) return;
  line_.begin_walk();
  const Sequence& first = *line_.first();
  if (!policy_->may_start(first) || !may_return(first)) return;
  std::vector<Sequence*> victims;
  std::int64_t short_of = head_short_of_;
  for (auto last = running_.rbegin(); last != running_.rend(); ++last) {
    if (!policy_->may_displace(*first.group, *(*last)->group)) continue;
    victims.push_back(*last);
    short_of -= static_cast<std::int64_t>((*last)->blocks.size()) - (*last)->first_held;
    if (short_of <= 0) break;
  }
  if (victims.empty() || short_of > 0) return;  // stopping them would not help
  for (Sequence* victim : victims) {
    preempt(*victim, Cause::room);
    ++stats_.preemptions;
  }
  head_short_of_ = 0;
}

void BatchScheduler::share_out(BlockRequest& out) {
  if (Sequence* suspect = first_suspect()) {
    add_share(*suspect, options_.prefill_chunk, out);
    return;
  }
  std::int64_t num_decoding = 0;
  for (Sequence* sequence : running_)
    if (sequence->num_uncomputed() == 1) num_decoding += add_share(*sequence, 1, out);
  budget_ = std::min(budget_, prefill_limit(num_decoding));
  if (num_decoding < static_cast<std::int64_t>(running_.size()))
    for (Sequence* sequence : running_)
      if (sequence->num_uncomputed() > 1) add_share(*sequence, options_.prefill_chunk, out);
  share_waiting(out);
}

void BatchScheduler::share_waiting(BlockRequest& out) {
  auto seats = options_.max_num_seqs - static_cast<std::int64_t>(running_.size());
  if (line_.empty() || seats <= 0 || budget_ == 0) return;
  line_.begin_walk();
  for (Sequence* next = line_.first(); next != nullptr; next = line_.first()) {
    if (seats-- <= 0 || budget_ == 0 || !policy_->may_start(*next) || !may_return(*next)) return;
    line_.take(add_share(*next, options_.prefill_chunk, out));
    if (head_short_of_ > 0) return;
  }
}

std::int64_t BatchScheduler::prefill_limit(std::int64_t num_decoding) const {
  const auto token_us = cost_.prefill_us_per_token();
  if (!options_.adapt_prefill || !token_us || *token_us <= 0) return budget_;
  const auto at_least_minimum = [&](double room) {
    return std::min<std::int64_t>(budget_, std::max<std::int64_t>(static_cast<std::int64_t>(room),
                                                                  options_.min_prefill_tokens));
  };
  if (num_decoding == 0)
    return options_.max_step_ms == 0
               ? budget_
               : at_least_minimum(std::min(options_.max_step_ms * 1000 / *token_us, 1e9));
  const auto decode_us = cost_.decode_us(num_decoding);
  if (!decode_us) return budget_;
  const double most_us =
      options_.target_itl_ms > 0 ? options_.target_itl_ms * 1000 : *decode_us * options_.itl_factor;
  // What prompts cost alone says little of what they cost beside others: what has not been tried is
  // approached by doubling.
  const auto tried =
      static_cast<double>(2 * std::max<std::int64_t>(tried_prefill_, options_.min_prefill_tokens));
  return at_least_minimum(std::clamp((most_us - *decode_us) / *token_us, 0.0, tried));
}

std::int32_t BatchScheduler::add_share(Sequence& sequence, std::int64_t most, BlockRequest& out) {
  const auto num_tokens =
      static_cast<std::int32_t>(std::min<std::int64_t>({sequence.num_uncomputed(), most, budget_}));
  if (num_tokens == 0) return 0;
  budget_ -= num_tokens;
  Share& share = shares_.emplace_back();
  share.sequence = &sequence;
  share.num_tokens = num_tokens;
  share.admission = sequence.state == State::waiting;
  share.prefill = share.admission || sequence.num_uncomputed() > 1;
  const auto held = static_cast<std::int64_t>(sequence.blocks.size());
  share.asked = blocks_for(covered_tokens(sequence, options_, share.admission)) > held ||
                block_index(options_.first_needed(sequence.num_computed)) > sequence.first_held;
  if (!share.asked) return num_tokens;
  if (share.admission)  // a fork takes over what its sibling has told the cache of
    for (auto& sibling : sequence.group->sequences)
      if (sibling.state == State::running) publish(sibling, out);
  out.wants.push_back(make_want(sequence, options_, share.admission));
  return num_tokens;
}

bool BatchScheduler::may_return(const Sequence& sequence) const {
  return sequence.preempted_at < left_ || running_.empty();
}

Sequence* BatchScheduler::first_suspect() {
  if (suspects_ == 0) return nullptr;
  const auto is_suspect = [](const Sequence& sequence) { return sequence.suspect_until > 0; };
  for (Sequence* sequence : running_)
    if (is_suspect(*sequence)) return sequence;
  return line_.find(is_suspect);
}

}  // namespace troupe::scheduling
