// The part of BatchScheduler that brings sequences back: after a failed step, after the
// executor died, and from another scheduler's journal.
#include "troupe/scheduling/admission.h"
#include "troupe/scheduling/batch_scheduler.h"
#include "troupe/scheduling/events.h"

#include <algorithm>
#include <map>
#include <string>

namespace troupe::scheduling {

Sequence* BatchScheduler::suspect_shares() {
  Sequence* proven = nullptr;
  for (const auto& share : shares_) {
    Sequence& sequence = *share.sequence;
    if (sequence.state != State::running) continue;
    sequence.untrusted = true;
    if (sequence.suspect_until > 0) {
      proven = &sequence;  // suspects run alone, so no other can be at fault
    } else {
      ++suspects_;
    }
    sequence.suspect_until =
        std::max(sequence.suspect_until, sequence.num_computed + share.num_tokens);
  }
  return proven;
}

void BatchScheduler::requeue_all() {
  while (!running_.empty())
    preempt(*running_.back(), Cause::fault);
  head_short_of_ = 0;
}

void BatchScheduler::fail_step(const Error& error, Time now, EventSink& events) {
  last_step_failed_ = true;
  // Of what left since the last want, some came with this step's copies and swaps.
  for (auto& leaving : leaving_)
    leaving.after = AfterRelease::forget;
  if (Sequence* proven = suspect_shares())
    end(*proven->group, FinishReason::error, error, now, events);
  requeue_all();
}

void BatchScheduler::step_lost(Time now) {
  static_cast<void>(now);
  if (under_way_)
    if (Sequence* proven = suspect_shares())
      proven->condemned =
          Error(ErrorCode::device, "the executor died twice while it computed this request");
  under_way_ = false;
  last_step_failed_ = false;
  requeue_all();
  leaving_.clear();  // the blocks are gone, and what was in lower tiers
  for (auto& [id, group] : groups_)
    for (auto& sequence : group->sequences)
      sequence.swapped = false;
  shares_.clear();
  dying_.clear();
  end_turn();
}

Journal BatchScheduler::journal() const {
  std::vector<const Group*> groups;
  for (const auto& [id, group] : groups_)
    groups.push_back(group.get());
  std::sort(groups.begin(), groups.end(),
            [](const Group* a, const Group* b) { return a->arrival < b->arrival; });
  Journal journal;
  for (const Group* group : groups)
    for (const auto& sequence : group->sequences) {
      JournalEntry entry;
      entry.request = group->request;
      entry.choice = sequence.choice;
      const auto output = static_cast<std::ptrdiff_t>(group->num_prompt_tokens());
      entry.output_ids.assign(sequence.ids.begin() + output, sequence.ids.end());
      entry.tokens_sent = sequence.tokens_sent;
      entry.finish = sequence.finish;
      entry.surprises = sequence.surprises;
      entry.prompt_scores_sent = group->prompt_scores_sent;
      entry.events_sent = group->events_sent;
      entry.cached_tokens = group->cached_tokens;
      entry.first_scheduled = group->first_scheduled;
      entry.first_token = group->first_token;
      journal.entries.push_back(std::move(entry));
    }
  return journal;
}

namespace {

tl::unexpected<Error> bad_entry(const JournalEntry& entry, const std::string& what) {
  return fail(ErrorCode::incompatible,
              "journal: request " + std::to_string(entry.request->request->context->id.value) +
                  ", choice " + std::to_string(entry.choice) + ": " + what);
}

/// Brings a choice to where its client is. Tokens that were drawn but not sent are drawn again:
/// they come out the same, with their scores.
Result<void> restore_sequence(Sequence& sequence, const JournalEntry& entry) {
  if (entry.tokens_sent > entry.output_ids.size())
    return bad_entry(entry, std::to_string(entry.tokens_sent) + " tokens sent of " +
                                std::to_string(entry.output_ids.size()));
  if (!entry.surprises.empty() && entry.surprises.size() != entry.output_ids.size())
    return bad_entry(entry, std::to_string(entry.surprises.size()) + " surprises of " +
                                std::to_string(entry.output_ids.size()) + " tokens");
  const Group& group = *sequence.group;
  const auto min_tokens = static_cast<std::size_t>(group.params().stop.min_tokens);
  for (std::size_t i = 0; i < entry.tokens_sent; ++i) {
    sequence.ids.push_back(entry.output_ids[i]);
    if (sequence.matcher && i >= min_tokens && entry.finish == FinishReason::none)
      if (sequence.matcher->push(group.request->tokens->bytes(entry.output_ids[i])))
        return bad_entry(entry, "goes on behind a stop string");
  }
  sequence.tokens_sent = entry.tokens_sent;
  sequence.surprises = entry.surprises;
  if (!sequence.surprises.empty()) sequence.surprises.resize(entry.tokens_sent);
  if (sequence.matcher) sequence.matcher->release_all();
  sequence.finish = entry.finish;
  if (entry.finish != FinishReason::none) {
    sequence.state = State::finished;
    --sequence.group->num_open;
  } else if (sequence.num_tokens() >= group.max_tokens && !group.wants_no_token()) {
    return bad_entry(entry, "has " + std::to_string(sequence.num_tokens()) +
                                " tokens and goes on; expected fewer than " +
                                std::to_string(group.max_tokens));
  }
  return {};
}

}  // namespace

Result<void> BatchScheduler::restore(Journal journal, Time now) {
  if (!groups_.empty())
    return fail(ErrorCode::internal, "a journal is restored into a scheduler without requests");
  std::vector<std::unique_ptr<Group>> groups;
  std::map<RequestId, std::pair<Group*, std::vector<bool>>> seen;
  for (const auto& entry : journal.entries) {
    auto& [group, choices] = seen[entry.request->request->context->id];
    if (group == nullptr) {
      if (auto good = check_request(*entry.request, name_, options_, now); !good) {
        // What ends a request by itself ends it here as well, with an event: in the next turn.
        const auto code = good.error().code();
        if (code != ErrorCode::cancelled && code != ErrorCode::deadline)
          return bad_entry(entry, good.error().message());
      }
      groups.push_back(make_group(entry.request, options_));
      group = groups.back().get();
      group->events_sent = entry.events_sent;
      group->prompt_scores_sent = entry.prompt_scores_sent;
      group->cached_tokens = entry.cached_tokens;
      group->first_scheduled = entry.first_scheduled;
      group->first_token = entry.first_token;
      group->last_token = entry.first_token ? now : Time{};
      choices.assign(group->sequences.size(), false);
    }
    const auto choice = static_cast<std::size_t>(entry.choice);
    if (entry.choice < 0 || choice >= choices.size() || choices[choice])
      return bad_entry(entry, "expected each choice once");
    choices[choice] = true;
    if (auto good = restore_sequence(group->sequences[choice], entry); !good) return good;
  }
  for (auto& group : groups) {
    const auto& choices = seen[group->id()].second;
    if (std::find(choices.begin(), choices.end(), false) != choices.end() || group->num_open == 0)
      return fail(ErrorCode::incompatible, "journal: request " + std::to_string(group->id().value) +
                                               ": expected all its choices, one of them open");
  }
  for (auto& group : groups)
    enter(std::move(group));
  return {};
}

}  // namespace troupe::scheduling
