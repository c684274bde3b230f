#pragma once
#include "row_copy.h"
#include "troupe/api/step.h"

namespace troupe::gumbel {

/// Whether the parameters ask for a repetition, presence or frequency penalty.
bool has_penalty(const SamplingParams& params);

/// Applies them to the row. Errors: internal (a past token outside the vocabulary).
Result<void> apply_penalties(const SampleRow& row, RowCopy& copy);

}  // namespace troupe::gumbel
