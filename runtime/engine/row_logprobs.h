#pragma once
#include "troupe/api/sampling.h"

#include <cstddef>
#include <span>
#include <vector>

namespace troupe {

/// The natural logarithm of the sum of e^x over a row of logits, summed in double from left to
/// right. Pre: at least one logit; all are finite.
double log_sum_exp(std::span<const float> logits);

/// The `count` most probable tokens of a row (fewer when it has fewer), most probable first, the
/// smaller id on a tie. `log_sum`: log_sum_exp of the row.
std::vector<TokenLogprob> most_probable(std::span<const float> logits, std::size_t count,
                                        double log_sum);

}  // namespace troupe
