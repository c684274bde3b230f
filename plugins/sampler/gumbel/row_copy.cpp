#include "row_copy.h"

#include <algorithm>
#include <string>

namespace troupe::gumbel {

std::span<float> RowCopy::writable() {
  if (!copied_) {
    copy_.assign(logits_.begin(), logits_.end());
    logits_ = copy_;
    copied_ = true;
  }
  return copy_;
}

std::span<std::int32_t> RowCopy::counts() {
  if (counts_.size() < logits_.size()) counts_.resize(logits_.size(), 0);
  return std::span(counts_).first(logits_.size());
}

Result<void> check_tokens(std::span<const TokenId> tokens, std::size_t vocab_size,
                          const char* what) {
  const auto bad = std::find_if(tokens.begin(), tokens.end(), [&](TokenId id) {
    return id < 0 || static_cast<std::size_t>(id) >= vocab_size;
  });
  if (bad == tokens.end()) return {};
  return fail(ErrorCode::internal, std::string(what) + " token " + std::to_string(*bad) +
                                       " is outside the vocabulary of " +
                                       std::to_string(vocab_size) + " tokens");
}

std::span<const TokenId> in_window(std::span<const TokenId> history, std::int32_t window) {
  if (window < 0 || static_cast<std::size_t>(window) >= history.size()) return history;
  return history.last(static_cast<std::size_t>(window));
}

}  // namespace troupe::gumbel
