#pragma once
#include "troupe/core/stop_strings.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

namespace troupe {

/// Where generation ends because of a stop string.
struct StopMatch {
  std::uint32_t index = 0;     // which of the request's stop strings
  std::size_t trim_bytes = 0;  // bytes to cut off the end of the text of all tokens so far
};

/// Watches the text of one sequence for stop strings while it is being generated, token by token.
/// Tokens whose bytes may still turn out to begin a stop string are held; the caller keeps their
/// events back until they are released, so that nothing of a stop string reaches a client.
///
/// The string that is complete first ends the text; of several complete at the same byte, the
/// longest. The result depends on the bytes alone, not on how they are cut into tokens.
/// Single owner. Cost per byte: amortised constant; memory: one number per held token.
class StopMatcher {
 public:
  explicit StopMatcher(std::shared_ptr<const StopStrings> strings) : strings_(std::move(strings)) {}

  /// Takes the bytes of the next token; they may be none. Returns the match that ends the text:
  /// then held_tokens() tokens, this one included, end it together, and their text loses
  /// `trim_bytes` at its end. Pre: no match so far.
  std::optional<StopMatch> push(std::string_view bytes);

  /// How many of the held tokens, oldest first, can no longer be part of a match; they are no
  /// longer held after this call.
  std::size_t release();

  /// At the end of generation without a match: all held tokens are free to go.
  std::size_t release_all();

  /// Tokens pushed and not yet released.
  std::size_t held_tokens() const { return lengths_.size(); }
  /// Their bytes.
  std::size_t held_bytes() const { return held_bytes_; }

 private:
  std::shared_ptr<const StopStrings> strings_;
  StopStrings::State state_ = StopStrings::kStart;
  std::deque<std::uint32_t> lengths_;  // bytes of each held token, oldest first
  std::size_t held_bytes_ = 0;
  bool matched_ = false;
};

}  // namespace troupe
