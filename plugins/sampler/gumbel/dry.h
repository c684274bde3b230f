#pragma once
#include "row_copy.h"
#include "troupe/api/step.h"

#include <cstdint>
#include <vector>

namespace troupe::gumbel {

/// Room that apply_dry works in; kept from call to call.
struct DryRoom {
  std::vector<std::int32_t> matches;
};

/// For every place of a history, counted from its end, how many tokens up to there equal the last
/// tokens of the history: matches[d] of the token d before the last one; matches[0] = its length.
/// Cost: O(history). Source: the Z-algorithm, Gusfield, "Algorithms on strings, trees, and
/// sequences", 1997, section 1.4.
void match_tail(std::span<const TokenId> history, std::vector<std::int32_t>& matches);

/// Takes off the logits of tokens that would go on with a repetition: where the last n tokens, n at
/// least dry_allowed_length, stood before and were followed by a token, that token loses
/// dry_multiplier * dry_base^(n - dry_allowed_length), for the largest such n. A repetition does
/// not reach back over a sequence breaker, and a token that has one in its own text loses nothing.
/// Errors: internal (a past token outside the vocabulary).
Result<void> apply_dry(const SampleRow& row, RowCopy& copy, DryRoom& room);

}  // namespace troupe::gumbel
