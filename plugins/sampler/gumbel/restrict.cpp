#include "restrict.h"

#include <algorithm>
#include <limits>

namespace troupe::gumbel {
namespace {

constexpr float kDead = -std::numeric_limits<float>::infinity();
using Tokens = std::span<const TokenId>;

Result<void> add_bias(const SamplingParams& params, RowCopy& copy) {
  for (const auto& [id, bias] : params.logit_bias) {
    const auto logits = copy.writable();
    if (auto good = check_tokens({&id, 1}, logits.size(), "the biased"); !good) return good;
    logits[static_cast<std::size_t>(id)] += bias;
  }
  return {};
}

Result<void> ban(Tokens ids, RowCopy& copy) {
  if (ids.empty()) return {};
  const auto logits = copy.writable();
  if (auto good = check_tokens(ids, logits.size(), "the banned"); !good) return good;
  for (const TokenId id : ids)
    logits[static_cast<std::size_t>(id)] = kDead;
  return {};
}

Result<void> allow_only(Tokens ids, RowCopy& copy) {
  if (ids.empty()) return {};
  const auto logits = copy.writable();
  if (auto good = check_tokens(ids, logits.size(), "the allowed"); !good) return good;
  const auto counts = copy.counts();
  for (const TokenId id : ids)
    counts[static_cast<std::size_t>(id)] = 1;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (counts[i] == 0) logits[i] = kDead;
  for (const TokenId id : ids)
    counts[static_cast<std::size_t>(id)] = 0;
  return {};
}

Result<void> ban_bad_words(const SampleRow& row, RowCopy& copy) {
  const Tokens output = row.history.subspan(static_cast<std::size_t>(row.prompt_tokens));
  for (const auto& word : row.bad_words) {
    const auto begun = Tokens(word).first(word.size() - 1);
    if (begun.size() > output.size()) continue;
    if (!std::ranges::equal(begun, output.last(begun.size()))) continue;
    if (auto good = ban(Tokens(word).last(1), copy); !good) return good;
  }
  return {};
}

}  // namespace

Result<void> restrict_tokens(const SampleRow& row, RowCopy& copy) {
  const auto& params = *row.params;
  if (auto good = add_bias(params, copy); !good) return good;
  if (auto good = allow_only(params.allowed_token_ids, copy); !good) return good;
  if (auto good = ban(params.banned_token_ids, copy); !good) return good;
  if (auto good = ban(row.banned, copy); !good) return good;
  return ban_bad_words(row, copy);
}

}  // namespace troupe::gumbel
