#pragma once
#include "troupe/api/ids.h"
#include "troupe/api/result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::gumbel {

/// A row of logits [vocab_size] that is copied when it is first changed. Kept from row to row, so
/// that rows cost no allocation. Memory: 8 bytes per token of the vocabulary, whatever the length
/// of a history or the number of rows.
class RowCopy {
 public:
  /// Pre: `logits` outlives the use of this row.
  void open(std::span<const float> logits) {
    logits_ = logits;
    copied_ = false;
  }

  std::span<const float> logits() const { return logits_; }
  std::span<float> writable();

  /// A number per token [vocab_size], all 0; whoever writes to them puts 0 back.
  std::span<std::int32_t> counts();

 private:
  std::span<const float> logits_;
  bool copied_ = false;
  std::vector<float> copy_;
  std::vector<std::int32_t> counts_;
};

/// Errors: internal (an id outside a vocabulary of that size, which is called by `what`).
Result<void> check_tokens(std::span<const TokenId> tokens, std::size_t vocab_size,
                          const char* what);

/// The last tokens of a history that a window lets see: -1 = all.
std::span<const TokenId> in_window(std::span<const TokenId> history, std::int32_t window);

}  // namespace troupe::gumbel
