#pragma once
#include "troupe/scheduling/options.h"
#include "troupe/scheduling/sequence.h"

#include <cstdint>

namespace troupe::scheduling {

/// One sequence's share of the step being put together or under way.
struct Share {
  Sequence* sequence = nullptr;
  std::int32_t num_tokens = 0;  // 0 = left out after all
  bool prefill = false;         // more than the next token of a sequence that generates
  bool admission = false;       // it was waiting
  bool asked = false;           // it has a want in the block request
  std::int32_t short_of = 0;    // blocks it asked for in vain
  std::int32_t num_scored = 0;  // rows that score a token of the prompt; they come first
  std::int32_t num_draws = 0;   // tokens drawn of its last row: its own, then its followers'
};

/// Appends a sequence's segment and its sample rows: those that score the prompt where that is
/// wanted and, when the segment reaches the sequence's end, the one that draws and one for each
/// sequence that follows it. Pre: `share.num_tokens` > 0 and the sequence holds blocks for them.
/// Sets share.num_scored and share.num_draws.
void append_segment(Share& share, StepPlan& plan);

/// Positions that a sequence is to hold blocks for; `first` = it holds nothing so far.
std::int32_t covered_tokens(const Sequence& sequence, const Options& options, bool first);

/// The want that covers them.
BlockRequest::Want make_want(const Sequence& sequence, const Options& options, bool first);

}  // namespace troupe::scheduling
