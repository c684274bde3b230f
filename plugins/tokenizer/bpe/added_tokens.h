#pragma once
#include "troupe/model/vocabulary.h"
#include "trust.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::bpe {

/// A token found in the text as a whole: bytes [begin, end).
struct AddedMatch {
  std::size_t begin = 0;
  std::size_t end = 0;
  TokenId id = -1;
};

/// Finds the tokens that are not made by merging: control tokens (and the unknown token), in
/// trusted text only, and user-defined ones, everywhere. Of the tokens at one place the longest
/// that is allowed there wins. Immutable; any thread may use it.
class AddedTokens {
 public:
  explicit AddedTokens(const model::Vocabulary& vocabulary);

  /// The leftmost token that begins at or after `from`. Cost: one look-up per byte, and the length
  /// of the longest added token where one might begin.
  std::optional<AddedMatch> find(std::string_view text, std::size_t from, const Trust& trust) const;

 private:
  struct Edge {
    std::uint8_t byte;
    std::uint32_t to;
  };
  struct Node {
    std::vector<Edge> edges;  // ascending by byte
    TokenId id = -1;
    bool needs_trust = false;
  };

  void insert(std::string_view text, TokenId id, bool needs_trust);
  std::uint32_t child(std::uint32_t node, std::uint8_t byte) const;
  std::optional<AddedMatch> match_at(std::string_view text, std::size_t begin,
                                     const Trust& trust) const;

  std::vector<Node> nodes_;
  std::array<bool, 256> begins_{};  // bytes with which some added token begins
};

}  // namespace troupe::bpe
