#pragma once
#include "troupe/api/ids.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace troupe::bpe {

/// Finds the token that is written with given bytes. A hash table with open addressing; the texts
/// belong to the vocabulary and must outlive it.
class PieceIndex {
 public:
  /// Room for about `count` texts; it grows when there are more.
  explicit PieceIndex(std::size_t count);

  /// Adds a text; of equal texts the first added is kept. Pre: not empty.
  void insert(std::string_view text, TokenId id);

  /// The token written `text`; -1 when there is none. Cost: one hash of the text.
  TokenId find(std::string_view text) const;

 private:
  struct Slot {
    std::string_view text;
    TokenId id = -1;
  };
  std::size_t place(std::string_view text) const;
  void grow();

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
  std::size_t longest_ = 0;  // longer texts need no look-up
};

}  // namespace troupe::bpe
