#pragma once
#include "row_copy.h"
#include "troupe/api/step.h"

namespace troupe::gumbel {

/// Adds logit_bias to the row and takes out every token that may not be drawn: banned ids, those
/// that are not allowed, and the last token of a bad word whose other tokens end the output.
/// Errors: internal (an id outside the vocabulary).
Result<void> restrict_tokens(const SampleRow& row, RowCopy& copy);

}  // namespace troupe::gumbel
