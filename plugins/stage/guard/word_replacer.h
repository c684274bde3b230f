#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Replaces words in text, in one piece or as it streams. Letters A-Z match a-z and the other way
/// round; all other bytes must be equal.
class WordReplacer {
 public:
  /// Empty words are left out. Of words that match at one place the longest wins.
  WordReplacer(std::vector<std::string> words, std::string replacement);

  bool empty() const { return words_.empty(); }
  bool contains_any(std::string_view text) const;
  std::string replace(std::string_view text) const;

  /// Appends `text` to what is pending and returns what can be shown: everything that cannot be the
  /// beginning of a word any more. With `last` nothing stays pending.
  std::string stream(std::string& pending, std::string_view text, bool last) const;

 private:
  /// Length of the longest word at the start of `text`; 0 = none.
  std::size_t match(std::string_view text) const;
  /// Whether `text` is the beginning of a longer word.
  bool may_become_match(std::string_view text) const;

  std::vector<std::string> words_;  // longest first
  std::string replacement_;
};

}  // namespace troupe
