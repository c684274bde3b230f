#include "dry.h"

#include "troupe/api/tokenizer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace troupe::gumbel {
namespace {

using Tokens = std::span<const TokenId>;
constexpr double kMostPenalty = 1e30;  // far beyond any logit, and finite

std::string_view text_of(const TokenTable& tokens, TokenId id) {
  return id >= 0 && id < tokens.size() ? tokens.bytes(id) : std::string_view();
}

/// Where sequence breakers stand in the text of a history.
class Breakers {
 public:
  explicit Breakers(const SampleRow& row)
      : tokens_(row.tokens), texts_(row.params->dry_sequence_breakers) {
    for (const auto& text : texts_)
      longest_ = std::max(longest_, text.size());
  }

  /// How many of the last `most` tokens stand behind the token in which the last breaker ends.
  std::size_t tokens_since(Tokens history, std::size_t most) const {
    if (tokens_ == nullptr || longest_ == 0) return most;
    for (std::size_t since = 0; since < most; ++since)
      if (ends_in(history.first(history.size() - since))) return since;
    return most;
  }

  /// Whether the token's own text has a breaker.
  bool stands_in(TokenId id) const {
    if (tokens_ == nullptr) return false;
    const auto text = text_of(*tokens_, id);
    return std::ranges::any_of(texts_, [&](const std::string& breaker) {
      return text.find(breaker) != std::string_view::npos;
    });
  }

 private:
  /// Whether a breaker ends in the text of the last token.
  bool ends_in(Tokens history) const {
    const auto last = text_of(*tokens_, history.back());
    std::string text(last);
    for (auto rest = history.first(history.size() - 1);
         !rest.empty() && text.size() < last.size() + longest_ - 1;
         rest = rest.first(rest.size() - 1))
      text.insert(0, text_of(*tokens_, rest.back()));
    const std::size_t before = text.size() - last.size();
    return std::ranges::any_of(texts_, [&](const std::string& breaker) {
      const auto begin = before - std::min(before, breaker.size() - 1);
      return std::string_view(text).substr(begin).find(breaker) != std::string_view::npos;
    });
  }

  const TokenTable* tokens_;
  std::span<const std::string> texts_;
  std::size_t longest_ = 0;
};

/// base^exponent by squaring: the C library's pow may differ between machines.
double power(double base, std::int32_t exponent) {
  double result = 1;
  for (; exponent > 0 && result < kMostPenalty; exponent /= 2) {
    if (exponent % 2 != 0) result *= base;
    base = std::min(base * base, kMostPenalty);
  }
  return result;
}

}  // namespace

void match_tail(Tokens history, std::vector<std::int32_t>& matches) {
  const auto size = static_cast<std::int32_t>(history.size());
  const auto from_end = [&](std::int32_t d) {
    return history[static_cast<std::size_t>(size - 1 - d)];
  };
  matches.assign(history.size(), 0);
  if (size == 0) return;
  matches[0] = size;
  std::int32_t left = 0, right = 0;  // the match that reaches farthest: [left, right)
  for (std::int32_t d = 1; d < size; ++d) {
    std::int32_t length = 0;
    if (d < right) length = std::min(right - d, matches[static_cast<std::size_t>(d - left)]);
    while (d + length < size && from_end(length) == from_end(d + length))
      ++length;
    matches[static_cast<std::size_t>(d)] = length;
    if (d + length > right) {
      left = d;
      right = d + length;
    }
  }
}

Result<void> apply_dry(const SampleRow& row, RowCopy& copy, DryRoom& room) {
  const auto& params = *row.params;
  const auto seen = in_window(row.history, params.dry_penalty_last_n);
  const auto allowed = params.dry_allowed_length;
  if (seen.size() < 2) return {};
  match_tail(seen, room.matches);
  const auto longest = *std::max_element(room.matches.begin() + 1, room.matches.end());
  if (longest < allowed) return {};
  const Breakers breakers(row);
  const auto reach =
      static_cast<std::int32_t>(breakers.tokens_since(seen, static_cast<std::size_t>(longest)));
  if (reach < allowed) return {};

  const auto logits = copy.writable();
  if (auto good = check_tokens(seen, logits.size(), "the past"); !good) return good;
  const auto lengths = copy.counts();
  const auto follower = [&](std::size_t d) {
    return static_cast<std::size_t>(seen[seen.size() - d]);
  };
  for (std::size_t d = 1; d < seen.size(); ++d)
    lengths[follower(d)] = std::max(lengths[follower(d)], std::min(room.matches[d], reach));
  for (std::size_t d = 1; d < seen.size(); ++d) {
    const std::size_t token = follower(d);
    const auto length = lengths[token];
    lengths[token] = 0;  // done; later occurrences find nothing
    if (length < allowed || breakers.stands_in(static_cast<TokenId>(token))) continue;
    const double penalty =
        std::min(kMostPenalty, static_cast<double>(params.dry_multiplier) *
                                   power(static_cast<double>(params.dry_base), length - allowed));
    logits[token] -= static_cast<float>(penalty);
  }
  return {};
}

}  // namespace troupe::gumbel
