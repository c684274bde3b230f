#pragma once
#include "sequence.h"

#include <cstdint>
#include <vector>

namespace troupe::continuous {

/// One sequence's share of the step being put together or under way.
struct Share {
  Sequence* sequence = nullptr;
  std::int32_t num_tokens = 0;  // 0 = left out after all
  bool admission = false;       // it was waiting
  bool asked = false;           // it has a want in the block request
  std::int32_t short_of = 0;    // blocks it asked for in vain
  bool draws = false;           // its last row becomes a token
};

/// Appends a sequence's segment, and its sample row when the segment reaches the sequence's end.
/// Pre: `share.num_tokens` > 0 and the sequence holds blocks for them. Sets share.draws.
void append_segment(Share& share, StepPlan& plan);

/// The want that covers all tokens of a sequence; `first` = it holds nothing so far.
BlockRequest::Want make_want(const Sequence& sequence, bool first);

}  // namespace troupe::continuous
