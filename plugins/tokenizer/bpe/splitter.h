#pragma once
#include "pattern.h"
#include "split_rules.h"
#include "troupe/api/result.h"

#include <string_view>
#include <vector>

namespace troupe::bpe {

/// Cuts text into pieces by a SplitRule. Immutable; any thread may use it, with its own scratch.
class Splitter {
 public:
  /// Errors: internal.
  static Result<Splitter> build(const SplitRule& rule);

  /// Calls `on_piece(std::string_view) -> bool` for each piece, in order; the pieces join to
  /// `text`. Stops early when it returns false. Pre: `text` is well-formed UTF-8.
  /// Errors: internal.
  template <class OnPiece>
  Result<void> split(std::string_view text, PatternScratch& scratch, OnPiece&& on_piece) const {
    bool go_on = true;
    return split_from(0, text, scratch, on_piece, go_on);
  }

 private:
  Splitter() = default;

  template <class OnPiece>
  Result<void> split_from(std::size_t stage, std::string_view text, PatternScratch& scratch,
                          OnPiece& on_piece, bool& go_on) const {
    if (stage == stages_.size()) {
      go_on = on_piece(text);
      return {};
    }
    const auto pass_on = [&](std::size_t begin, std::size_t end) -> Result<void> {
      if (begin == end || !go_on) return {};
      return split_from(stage + 1, text.substr(begin, end - begin), scratch, on_piece, go_on);
    };
    std::size_t done = 0;
    while (done < text.size() && go_on) {
      const auto match = stages_[stage].find(text, done, scratch);
      if (!match) return fail(match.error());
      if (!*match || (*match)->end == done) break;  // an empty match would never end
      if (auto gap = pass_on(done, (*match)->begin); !gap) return gap;
      if (auto piece = pass_on((*match)->begin, (*match)->end); !piece) return piece;
      done = (*match)->end;
    }
    return pass_on(done, text.size());
  }

  std::vector<Pattern> stages_;
};

}  // namespace troupe::bpe
