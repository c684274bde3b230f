#include "troupe/engine/row_logprobs.h"

#include <algorithm>
#include <cmath>

namespace troupe {

double log_sum_exp(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits)
    sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

std::vector<TokenLogprob> most_probable(std::span<const float> logits, std::size_t count,
                                        double log_sum) {
  std::vector<TokenId> ids(logits.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<TokenId>(i);
  const auto logit = [&](TokenId id) { return logits[static_cast<std::size_t>(id)]; };
  count = std::min(count, ids.size());
  std::partial_sort(
      ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
      [&](TokenId a, TokenId b) { return logit(a) != logit(b) ? logit(a) > logit(b) : a < b; });
  std::vector<TokenLogprob> best;
  for (std::size_t i = 0; i < count; ++i)
    best.push_back({ids[i], static_cast<float>(static_cast<double>(logit(ids[i])) - log_sum)});
  return best;
}

}  // namespace troupe
