#include "dry.h"

#include "troupe/api/tokenizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

namespace troupe::gumbel {
namespace {

using Tokens = std::span<const TokenId>;
constexpr double kMostPenalty = 1e30;  // far beyond any logit, and finite

std::string_view text_of(const TokenTable& tokens, TokenId id) {
  return id >= 0 && id < tokens.size() ? tokens.bytes(id) : std::string_view();
}

/// The end of a history as text, read backwards: the last byte comes first.
struct Backwards {
  std::string text;
  std::vector<std::size_t> ends;  // in `text`, of the last `most` tokens, the last one first
};

Backwards read_backwards(const TokenTable& tokens, Tokens history, std::size_t most,
                         std::size_t bytes_beyond) {
  Backwards tail;
  tail.ends.reserve(most);
  for (std::size_t since = 0; since < history.size(); ++since) {
    if (since >= most && tail.text.size() >= tail.ends.back() + bytes_beyond) break;
    const auto bytes = text_of(tokens, history[history.size() - 1 - since]);
    tail.text.append(bytes.rbegin(), bytes.rend());
    if (since < most) tail.ends.push_back(tail.text.size());
  }
  return tail;
}

/// Where sequence breakers stand in the text of a history.
class Breakers {
 public:
  explicit Breakers(const SampleRow& row)
      : tokens_(row.tokens), texts_(row.params->dry_sequence_breakers) {}

  /// How many of the last `most` tokens stand behind the token in which the last breaker ends.
  /// Cost: one search of their text for each breaker. Pre: 0 < most <= history.size().
  std::size_t tokens_since(Tokens history, std::size_t most) const {
    if (tokens_ == nullptr || texts_.empty()) return most;
    std::size_t longest = 0;
    for (const auto& text : texts_)
      longest = std::max(longest, text.size());
    const auto tail = read_backwards(*tokens_, history, most, longest);
    std::size_t last = tail.ends.back();  // where the last breaker ends, from the end
    for (const auto& text : texts_) {
      const std::string breaker(text.rbegin(), text.rend());
      const auto size = std::min(tail.text.size(), last + breaker.size() - 1);
      // Takes linear time, which string_view::find does not.
      const auto* found = ::memmem(tail.text.data(), size, breaker.data(), breaker.size());
      if (found != nullptr)
        last = static_cast<std::size_t>(static_cast<const char*>(found) - tail.text.data());
    }
    return static_cast<std::size_t>(std::ranges::upper_bound(tail.ends, last) - tail.ends.begin());
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
  const TokenTable* tokens_;
  std::span<const std::string> texts_;
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
