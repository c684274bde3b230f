#pragma once
#include "row_scan.h"
#include "troupe/api/step.h"

#include <span>
#include <vector>

namespace troupe::gumbel {

/// Fills in the log-probability of `out.token` and of the `count` most probable tokens, under the
/// model's own distribution: softmax of the row's logits [vocab_size] as they came. `room` is
/// overwritten. Errors: internal (a logit that is NaN or +infinity).
Result<void> report_logprobs(std::span<const float> logits, std::int32_t count,
                             std::vector<Candidate>& room, SampledToken& out);

}  // namespace troupe::gumbel
