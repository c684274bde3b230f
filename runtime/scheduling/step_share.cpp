#include "troupe/scheduling/step_share.h"

#include "troupe/api/check.h"
#include "troupe/core/block_math.h"
#include "troupe/scheduling/ending.h"

#include <algorithm>

namespace troupe::scheduling {
namespace {

SampleRow& append_sample(const Sequence& sequence, std::uint32_t at_row, StepPlan& plan) {
  const Group& group = *sequence.group;
  SampleRow& row = plan.samples.emplace_back();
  row.sequence = sequence.id;
  row.row = at_row;
  row.params = &group.params().sampling;
  row.history = sequence.ids;
  row.prompt_tokens = static_cast<std::int32_t>(group.num_prompt_tokens());
  row.position = sequence.num_tokens();
  row.banned = banned_next(sequence);
  row.seed = sequence.seed;
  row.bad_words = group.request->bad_words;
  row.tokens = group.request->tokens.get();
  row.surprises = sequence.surprises;
  return row;
}

/// The row of a position scores the token after it.
void append_scored(const Share& share, const StepSegment& segment, StepPlan& plan) {
  for (std::int32_t i = 0; i < share.num_scored; ++i) {
    const auto at_row = segment.first_row + static_cast<std::uint32_t>(i);
    SampleRow& row = append_sample(*share.sequence, at_row, plan);
    row.position = segment.first_position + i + 1;
    row.scored = share.sequence->ids[static_cast<std::size_t>(row.position)];
  }
}

std::int32_t num_scored(const Sequence& sequence, std::int32_t end) {
  const Group& group = *sequence.group;
  if (!group.needs_every_row(sequence)) return 0;
  const auto last = static_cast<std::int32_t>(group.num_prompt_tokens()) - 1;
  return std::max(0, std::min(end, last) - sequence.num_computed);
}

}  // namespace

void append_segment(Share& share, StepPlan& plan) {
  const Sequence& sequence = *share.sequence;
  const Group& group = *sequence.group;
  const std::int32_t end = sequence.num_computed + share.num_tokens;
  StepSegment& segment = plan.segments.emplace_back();
  segment.sequence = sequence.id;
  if (const auto& tokens = group.request->tokens) plan.vocab_size = tokens->size();
  segment.first_position = sequence.num_computed;
  segment.num_tokens = share.num_tokens;
  segment.token_offset = static_cast<std::uint32_t>(plan.token_ids.size());
  segment.block_offset = static_cast<std::uint32_t>(plan.block_ids.size());
  segment.num_blocks = static_cast<std::uint32_t>(blocks_for(end));
  TROUPE_CHECK(segment.num_blocks <= sequence.blocks.size());
  const auto ids = sequence.ids.begin();
  if (share.num_tokens == 1)
    plan.token_ids.push_back(sequence.ids[static_cast<std::size_t>(sequence.num_computed)]);
  else
    plan.token_ids.insert(plan.token_ids.end(), ids + sequence.num_computed, ids + end);
  const auto blocks = sequence.blocks.begin();
  plan.block_ids.insert(plan.block_ids.end(), blocks, blocks + segment.num_blocks);
  share.num_scored = num_scored(sequence, end);
  const bool draws = end == sequence.num_tokens() && !group.wants_no_token();
  segment.rows = share.num_scored > 0 ? RowsWanted::all
                 : draws              ? RowsWanted::last
                                      : RowsWanted::none;
  segment.first_row = plan.num_rows;
  plan.num_rows += segment.num_rows();
  append_scored(share, segment, plan);
  share.num_draws = 0;
  if (!draws) return;
  const std::uint32_t last_row = plan.num_rows - 1;
  append_sample(sequence, last_row, plan);
  share.num_draws = 1;
  if (group.leader != &sequence) return;
  for (const auto& follower : group.sequences)
    if (follower.follows) {
      append_sample(follower, last_row, plan);
      ++share.num_draws;
    }
}

std::int32_t covered_tokens(const Sequence& sequence, const Options& options, bool first) {
  if (options.sliding_window == 0) return sequence.num_tokens();
  // A window holds a bounded part of any length: blocks come and go with the chunks. The first time
  // it is all that will ever be held at once, so that what starts can also go on.
  const std::int64_t ahead =
      std::int64_t{options.prefill_chunk} + (first ? options.sliding_window : 0);
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(sequence.num_tokens(), sequence.num_computed + ahead));
}

BlockRequest::Want make_want(const Sequence& sequence, const Options& options, bool first) {
  BlockRequest::Want want;
  want.sequence = sequence.id;
  want.num_tokens = covered_tokens(sequence, options, first);
  if (!first) {
    want.first_needed = options.first_needed(sequence.num_computed);
    return want;
  }
  const Group& group = *sequence.group;
  want.token_ids = sequence.ids;
  want.max_cached_tokens = group.needs_every_row(sequence) ? 0 : sequence.num_tokens() - 1;
  want.first_needed = options.first_needed(want.max_cached_tokens);
  want.cache_salt = group.params().cache_salt;
  want.adapter = group.params().adapter;
  for (const auto& sibling : group.sequences)
    if (sibling.state == State::running) {
      want.fork_of = sibling.id;
      break;
    }
  return want;
}

}  // namespace troupe::scheduling
