#include "word_replacer.h"

#include <algorithm>

namespace troupe {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool starts_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

WordReplacer::WordReplacer(std::vector<std::string> words, std::string replacement)
    : words_(std::move(words)), replacement_(std::move(replacement)) {
  std::erase_if(words_, [](const std::string& word) { return word.empty(); });
  std::stable_sort(words_.begin(), words_.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::size_t WordReplacer::match(std::string_view text) const {
  for (const auto& word : words_)
    if (starts_with(text, word)) return word.size();
  return 0;
}

bool WordReplacer::may_become_match(std::string_view text) const {
  return std::any_of(words_.begin(), words_.end(), [&](const std::string& word) {
    return word.size() > text.size() && starts_with(word, text);
  });
}

bool WordReplacer::contains_any(std::string_view text) const {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (match(text.substr(i)) > 0) return true;
  return false;
}

std::string WordReplacer::replace(std::string_view text) const {
  std::string pending;
  return stream(pending, text, true);
}

std::string WordReplacer::stream(std::string& pending, std::string_view text, bool last) const {
  pending += text;
  const std::string_view all = pending;
  std::string shown;
  std::size_t at = 0;
  while (at < all.size()) {
    const auto rest = all.substr(at);
    if (!last && may_become_match(rest)) break;  // the rest is too short to tell
    const auto length = match(rest);
    shown += length > 0 ? std::string_view(replacement_) : rest.substr(0, 1);
    at += std::max<std::size_t>(length, 1);
  }
  pending.erase(0, at);
  return shown;
}

}  // namespace troupe
