#include "batch.h"

#include "ending.h"
#include "troupe/core/block_math.h"

namespace troupe::continuous {

void append_segment(Share& share, StepPlan& plan) {
  const Sequence& sequence = *share.sequence;
  const std::int32_t end = sequence.num_computed + share.num_tokens;
  StepSegment segment;
  segment.sequence = sequence.id;
  if (const auto& tokens = sequence.group->request->tokens) plan.vocab_size = tokens->size();
  segment.first_position = sequence.num_computed;
  segment.num_tokens = share.num_tokens;
  segment.token_offset = static_cast<std::uint32_t>(plan.token_ids.size());
  segment.block_offset = static_cast<std::uint32_t>(plan.block_ids.size());
  segment.num_blocks = static_cast<std::uint32_t>(blocks_for(end));
  const auto ids = sequence.ids.begin();
  plan.token_ids.insert(plan.token_ids.end(), ids + sequence.num_computed, ids + end);
  const auto blocks = sequence.blocks.begin();
  plan.block_ids.insert(plan.block_ids.end(), blocks, blocks + segment.num_blocks);
  share.draws = end == sequence.num_tokens();
  if (share.draws) {
    segment.rows = RowsWanted::last;
    segment.first_row = plan.num_rows++;
    SampleRow row;
    row.sequence = sequence.id;
    row.row = segment.first_row;
    row.params = &sequence.group->params().sampling;
    row.history = sequence.ids;
    row.prompt_tokens = static_cast<std::int32_t>(sequence.group->num_prompt_tokens());
    row.position = sequence.num_tokens();
    row.banned = banned_next(sequence);
    row.seed = sequence.seed;
    plan.samples.push_back(row);
  }
  plan.segments.push_back(segment);
}

BlockRequest::Want make_want(const Sequence& sequence, bool first) {
  BlockRequest::Want want;
  want.sequence = sequence.id;
  want.num_tokens = sequence.num_tokens();
  if (first) {
    want.token_ids = sequence.ids;
    want.max_cached_tokens = sequence.num_tokens() - 1;
    want.cache_salt = sequence.group->params().cache_salt;
    want.adapter = sequence.group->params().adapter;
  }
  return want;
}

}  // namespace troupe::continuous
