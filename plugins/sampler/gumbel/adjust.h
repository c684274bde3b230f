#pragma once
#include "troupe/api/step.h"

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::gumbel {

/// Room for one adjusted row, kept from call to call. Memory: 8 bytes per token of the vocabulary,
/// whatever the length of a history or the number of rows.
struct AdjustRoom {
  std::vector<float> logits;         // [vocab_size]
  std::vector<std::int32_t> counts;  // [vocab_size], all 0 between calls
};

/// The row's logits [vocab_size] after bans, bias and penalties: `logits` itself when the row asks
/// for none of them, otherwise a copy in `room`.
/// Errors: internal (a banned, biased or past token outside the vocabulary).
Result<std::span<const float>> adjust(const SampleRow& row, std::span<const float> logits,
                                      AdjustRoom& room);

}  // namespace troupe::gumbel
