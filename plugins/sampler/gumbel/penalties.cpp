#include "penalties.h"

#include <algorithm>

namespace troupe::gumbel {
namespace {

using Tokens = std::span<const TokenId>;

bool has_output_penalty(const SamplingParams& params) {
  return params.presence_penalty != 0 || params.frequency_penalty != 0;
}

void apply_repetition(Tokens seen, float penalty, std::span<float> logits,
                      std::span<std::int32_t> counts) {
  for (const TokenId id : seen) {
    const auto i = static_cast<std::size_t>(id);
    if (counts[i] != 0) continue;
    counts[i] = 1;
    float& logit = logits[i];
    logit = logit > 0 ? logit / penalty : logit * penalty;
  }
  for (const TokenId id : seen)
    counts[static_cast<std::size_t>(id)] = 0;
}

void apply_output_penalties(Tokens outputs, const SamplingParams& params, std::span<float> logits,
                            std::span<std::int32_t> counts) {
  for (const TokenId id : outputs)
    ++counts[static_cast<std::size_t>(id)];
  for (const TokenId id : outputs) {
    auto& count = counts[static_cast<std::size_t>(id)];
    if (count == 0) continue;  // done at an earlier occurrence
    float& logit = logits[static_cast<std::size_t>(id)];
    logit -= params.frequency_penalty * static_cast<float>(count);
    logit -= params.presence_penalty;
    count = 0;
  }
}

}  // namespace

bool has_penalty(const SamplingParams& params) {
  return params.penalty_window != 0 &&
         (params.repetition_penalty != 1 || has_output_penalty(params));
}

Result<void> apply_penalties(const SampleRow& row, RowCopy& copy) {
  const auto& params = *row.params;
  const auto seen = in_window(row.history, params.penalty_window);
  const auto logits = copy.writable();
  if (auto good = check_tokens(seen, logits.size(), "the past"); !good) return good;
  const auto counts = copy.counts();
  if (params.repetition_penalty != 1)
    apply_repetition(seen, params.repetition_penalty, logits, counts);
  if (has_output_penalty(params)) {
    const auto num_outputs = row.history.size() - static_cast<std::size_t>(row.prompt_tokens);
    apply_output_penalties(seen.last(std::min(seen.size(), num_outputs)), params, logits, counts);
  }
  return {};
}

}  // namespace troupe::gumbel
