#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::bpe {

/// Where a pattern matched: bytes [begin, end) of the subject.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What matching needs besides the pattern. Made once per thread, good for all patterns.
class PatternScratch {
 public:
  PatternScratch();
  ~PatternScratch();
  PatternScratch(PatternScratch&&) noexcept;
  PatternScratch& operator=(PatternScratch&&) = delete;

 private:
  friend class Pattern;
  struct State;
  std::unique_ptr<State> state_;
};

/// A regular expression over UTF-8 text with Unicode properties (PCRE2), compiled to machine code
/// where PCRE2 can. Immutable; any thread may match, each with a scratch of its own.
///
/// `\s` and `\S` mean White_Space as Unicode has it, which is what the patterns of tokenizer files
/// were written for; PCRE2's own `\s` also takes U+180E.
class Pattern {
 public:
  /// Errors: internal (the expression does not compile; they are all our own).
  static Result<Pattern> compile(std::string_view expression);

  /// The leftmost match in `subject` that begins at or after `from`; nullopt when there is none.
  /// Pre: the subject is well-formed UTF-8, `from` is on a character. Errors: internal, when PCRE2
  /// gives up.
  Result<std::optional<Span>> find(std::string_view subject, std::size_t from,
                                   PatternScratch& scratch) const;

 private:
  struct Code;
  Pattern() = default;
  std::shared_ptr<const Code> code_;
};

/// `expression` with `\s` and `\S` spelled out, inside and outside of brackets.
std::string spell_out_spaces(std::string_view expression);

}  // namespace troupe::bpe
