#pragma once
#include "troupe/api/tokenizer.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::testing {

/// Writes the logits that the fake model gives after `history`: a function of all its tokens and
/// their order, between 0 and 8, so that any token read wrongly changes what follows.
/// Shapes: `logits` [vocab_size].
void fake_logits(std::span<const TokenId> history, std::span<float> logits);

/// A token table in which token 0 ends generation and each other token stands for one or two
/// letters, so that stop strings fall on and between tokens.
class FakeTokens : public TokenTable {
 public:
  explicit FakeTokens(std::int32_t size);

  std::int32_t size() const override { return static_cast<std::int32_t>(bytes_.size()); }
  std::string_view bytes(TokenId id) const override { return bytes_[static_cast<std::size_t>(id)]; }
  bool is_control(TokenId id) const override { return id == kEnd; }
  std::span<const TokenId> end_of_generation() const override { return {&kEnd, 1}; }

  static constexpr TokenId kEnd = 0;

 private:
  std::vector<std::string> bytes_;
};

}  // namespace troupe::testing
