#pragma once
#include "troupe/api/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::bpe {

/// Two neighbouring symbols become one. Lower ranks go first.
struct Merge {
  std::uint32_t rank = 0;
  TokenId result = -1;
};

/// All merges of a vocabulary by the pair of symbols they join. A hash table with open addressing.
class MergeTable {
 public:
  /// Room for `count` merges.
  explicit MergeTable(std::size_t count);

  /// Adds a merge; of two for one pair the first is kept. Pre: ids >= 0; at most `count` calls.
  void insert(TokenId left, TokenId right, Merge merge);

  /// nullptr when the pair does not merge.
  const Merge* find(TokenId left, TokenId right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t i = place(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return &slots_[i].merge;
      if (slots_[i].key == kEmpty) return nullptr;
    }
  }

 private:
  static constexpr std::uint64_t kEmpty = UINT64_MAX;
  struct Slot {
    std::uint64_t key = kEmpty;
    Merge merge;
  };

  static std::uint64_t key_of(TokenId left, TokenId right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
           static_cast<std::uint32_t>(right);
  }
  /// Multiplicative hashing: the upper bits of the product depend on all bits of the key.
  std::size_t place(std::uint64_t key) const {
    return static_cast<std::size_t>((key ^ (key >> 29)) * 0x9E3779B97F4A7C15u >> shift_);
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
  int shift_;
};

}  // namespace troupe::bpe
