#pragma once
#include "merger.h"
#include "pattern.h"
#include "troupe/api/result.h"
#include "word_cache.h"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::bpe {

/// Buffers and caches of one encode call at a time; kept between calls.
struct Workspace {
  PatternScratch patterns;
  WordCache words;
  Merger merger;
  std::string text;              // a segment after normalisation
  std::vector<TokenId> symbols;  // of one piece

  /// Gives back what a long text made the buffers grow to.
  void trim() {
    merger.trim();
    if (text.capacity() > kKeptBytes) text = {};
    if (symbols.capacity() > kKeptBytes) symbols = {};
  }

 private:
  static constexpr std::size_t kKeptBytes = 64 * 1024;
};

/// Turns text without added tokens into ids. Immutable; any thread may call it, with a workspace
/// of its own that served no other encoder.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  /// Appends the ids of `segment`: the text between two added tokens, or between one and an end of
  /// the prompt. Cost: linear in its length for the vocabularies in use, n log n at most.
  /// Errors: cancelled, invalid_argument (text the vocabulary cannot express), internal.
  virtual Result<void> encode(std::string_view segment, Workspace& workspace, CancelFlag cancelled,
                              std::vector<TokenId>& out) const = 0;
};

inline tl::unexpected<Error> fail_cancelled() {
  return fail(ErrorCode::cancelled, "the request was taken back while its text was tokenized");
}

}  // namespace troupe::bpe
