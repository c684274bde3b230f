#pragma once
#include "troupe/api/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// The stop strings of one request as an automaton that reads a byte at a time. Immutable: the
/// sequences of a request share one. Memory: a few dozen bytes per byte of stop string.
/// Source: A. Aho, M. Corasick, "Efficient string matching", CACM 18(6), 1975.
class StopStrings {
 public:
  /// More than these in one request are refused.
  static constexpr std::size_t kMaxStrings = 256;
  static constexpr std::size_t kMaxTotalBytes = 64 * 1024;

  using State = std::uint32_t;
  static constexpr State kStart = 0;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Errors: invalid_argument (an empty string, too many, too long in all).
  static Result<StopStrings> build(std::span<const std::string> strings);

  /// The state after reading `byte` in `state`. Cost: amortised O(log 256) per byte.
  State next(State state, std::uint8_t byte) const;

  /// Index of the longest stop string that ends in this state; kNone when none does.
  std::uint32_t match(State state) const { return nodes_[state].match; }

  /// Bytes at the end of what was read that may be the beginning of a stop string.
  std::uint32_t depth(State state) const { return nodes_[state].depth; }

  std::uint32_t length(std::uint32_t index) const { return lengths_[index]; }
  std::size_t count() const { return lengths_.size(); }

 private:
  struct Edge {
    std::uint8_t byte;
    State to;
  };
  struct Node {
    std::vector<Edge> edges;  // ascending by byte
    State fallback = kStart;  // longest proper suffix that is a state too
    std::uint32_t depth = 0;
    std::uint32_t match = kNone;
  };

  StopStrings() = default;
  void insert(const std::string& text, std::uint32_t index);
  void link();
  const Edge* find(State state, std::uint8_t byte) const;

  std::vector<Node> nodes_;
  std::array<State, 256> first_{};  // from the start state: nearly every byte of a text asks for it
  std::vector<std::uint32_t> lengths_;
};

}  // namespace troupe
