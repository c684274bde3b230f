#pragma once
#include "troupe/api/ids.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace troupe::bpe {

/// Remembers the tokens of short words. Bounded: every word has one place, which the next word with
/// that place takes over; so a hit is exact and a miss costs nothing but the work itself.
class WordCache {
 public:
  static constexpr std::size_t kMaxBytes = 29;
  static constexpr std::size_t kMaxTokens = 8;

  WordCache() : slots_(kSlots) {}

  /// A place for `word`; kNone when it is too long to be remembered.
  static constexpr std::size_t kNone = SIZE_MAX;
  static std::size_t place(std::string_view word) {
    if (word.size() > kMaxBytes || word.empty()) return kNone;
    return hash(word) & (kSlots - 1);
  }

  /// The tokens of `word` if they are remembered; an empty span with `known` false otherwise.
  std::span<const TokenId> find(std::size_t place, std::string_view word, bool& known) const {
    const Slot& slot = slots_[place];
    known = slot.size == word.size() && std::memcmp(slot.bytes, word.data(), word.size()) == 0;
    return {slot.tokens, known ? slot.count : std::size_t{0}};
  }

  void store(std::size_t place, std::string_view word, std::span<const TokenId> tokens) {
    if (tokens.size() > kMaxTokens) return;
    Slot& slot = slots_[place];
    slot.size = static_cast<std::uint8_t>(word.size());
    slot.count = static_cast<std::uint8_t>(tokens.size());
    std::memcpy(slot.bytes, word.data(), word.size());
    std::memcpy(slot.tokens, tokens.data(), tokens.size_bytes());
  }

 private:
  static constexpr std::size_t kSlots = 1 << 14;
  struct Slot {
    std::uint8_t size = 0;  // 0: free
    std::uint8_t count = 0;
    char bytes[kMaxBytes + 1] = {};
    TokenId tokens[kMaxTokens] = {};
  };
  static_assert(sizeof(Slot) == 64);

  static std::size_t hash(std::string_view word);

  std::vector<Slot> slots_;
};

}  // namespace troupe::bpe
