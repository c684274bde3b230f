#include "logprobs.h"

#include "fixed_math.h"
#include "selection.h"

namespace troupe::gumbel {

Result<void> report_logprobs(std::span<const float> logits, std::int32_t count,
                             std::vector<Candidate>& room, SampledToken& out) {
  const auto best = find_largest(logits);
  if (!best) return fail(best.error());
  const double log_sum = fixed_log(sum_exp(logits, best->logit, 1.0f));
  const auto logprob = [&](float logit) {
    return static_cast<float>(static_cast<double>(logit) - static_cast<double>(best->logit) -
                              log_sum);
  };
  out.chosen = TokenLogprob{out.token, logprob(logits[static_cast<std::size_t>(out.token)])};
  select_largest(logits, static_cast<std::size_t>(count), room);
  for (const auto& candidate : room)
    out.top.push_back({candidate.token, logprob(candidate.logit)});
  return {};
}

}  // namespace troupe::gumbel
