#include "adjust.h"

#include <algorithm>
#include <limits>
#include <string>

namespace troupe::gumbel {
namespace {

using Tokens = std::span<const TokenId>;

bool has_output_penalty(const SamplingParams& params) {
  return params.presence_penalty != 0 || params.frequency_penalty != 0;
}

bool has_penalty(const SamplingParams& params) {
  return params.penalty_window != 0 &&
         (params.repetition_penalty != 1 || has_output_penalty(params));
}

Result<void> check_tokens(Tokens tokens, std::size_t vocab_size, const char* what) {
  const auto bad = std::find_if(tokens.begin(), tokens.end(), [&](TokenId id) {
    return id < 0 || static_cast<std::size_t>(id) >= vocab_size;
  });
  if (bad == tokens.end()) return {};
  return fail(ErrorCode::internal, std::string(what) + " token " + std::to_string(*bad) +
                                       " is outside the vocabulary of " +
                                       std::to_string(vocab_size) + " tokens");
}

/// The last tokens of the history that the window lets see.
Tokens in_window(Tokens history, std::int32_t window) {
  if (window < 0 || static_cast<std::size_t>(window) >= history.size()) return history;
  return history.last(static_cast<std::size_t>(window));
}

void apply_repetition(Tokens seen, float penalty, AdjustRoom& room) {
  for (const TokenId id : seen) {
    const auto i = static_cast<std::size_t>(id);
    if (room.counts[i] != 0) continue;
    room.counts[i] = 1;
    float& logit = room.logits[i];
    logit = logit > 0 ? logit / penalty : logit * penalty;
  }
  for (const TokenId id : seen)
    room.counts[static_cast<std::size_t>(id)] = 0;
}

void apply_output_penalties(Tokens outputs, const SamplingParams& params, AdjustRoom& room) {
  for (const TokenId id : outputs)
    ++room.counts[static_cast<std::size_t>(id)];
  for (const TokenId id : outputs) {
    auto& count = room.counts[static_cast<std::size_t>(id)];
    if (count == 0) continue;  // done at an earlier occurrence
    float& logit = room.logits[static_cast<std::size_t>(id)];
    logit -= params.frequency_penalty * static_cast<float>(count);
    logit -= params.presence_penalty;
    count = 0;
  }
}

Result<void> apply_penalties(const SampleRow& row, AdjustRoom& room) {
  const auto& params = *row.params;
  const auto seen = in_window(row.history, params.penalty_window);
  if (auto good = check_tokens(seen, room.logits.size(), "the past"); !good) return good;
  room.counts.resize(room.logits.size(), 0);
  if (params.repetition_penalty != 1) apply_repetition(seen, params.repetition_penalty, room);
  if (has_output_penalty(params)) {
    const auto num_outputs = row.history.size() - static_cast<std::size_t>(row.prompt_tokens);
    apply_output_penalties(seen.last(std::min(seen.size(), num_outputs)), params, room);
  }
  return {};
}

}  // namespace

Result<std::span<const float>> adjust(const SampleRow& row, std::span<const float> logits,
                                      AdjustRoom& room) {
  const auto& params = *row.params;
  if (row.banned.empty() && params.logit_bias.empty() && !has_penalty(params)) return logits;
  room.logits.assign(logits.begin(), logits.end());
  for (const auto& [id, bias] : params.logit_bias) {
    if (auto good = check_tokens(Tokens(&id, 1), logits.size(), "the biased"); !good)
      return fail(good.error());
    room.logits[static_cast<std::size_t>(id)] += bias;
  }
  if (has_penalty(params))
    if (auto good = apply_penalties(row, room); !good) return fail(good.error());
  if (auto good = check_tokens(row.banned, logits.size(), "the banned"); !good)
    return fail(good.error());
  for (const TokenId id : row.banned)
    room.logits[static_cast<std::size_t>(id)] = -std::numeric_limits<float>::infinity();
  return std::span<const float>(room.logits);
}

}  // namespace troupe::gumbel
