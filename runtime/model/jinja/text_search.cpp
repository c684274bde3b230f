#include "troupe/model/jinja/text_search.h"

#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>

namespace troupe::model::jinja {
namespace {

constexpr auto kNone = std::string_view::npos;

bool in_set(char32_t code, std::string_view set) {
  if (set.empty()) return is_space(code);
  for (std::size_t at = 0; at < set.size();) {
    const auto member = character_at(set, at);
    if (member.code == code) return true;
    at += member.size;
  }
  return false;
}

/// Where the character in front of `at` begins. Pre: at > 0.
std::size_t previous_character(std::string_view text, std::size_t at) {
  for (std::size_t back = 4; back > 1; --back)
    if (back <= at && character_at(text, at - back).size == back) return at - back;
  return at - 1;
}

bool is_line_end(char32_t code) {
  return (code >= 10 && code <= 13) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
         code == 0x2028 || code == 0x2029;
}

/// The end of the run of (no) white space that starts at `at`.
std::size_t run_end(std::string_view text, std::size_t at, bool space) {
  while (at < text.size()) {
    const auto character = character_at(text, at);
    if (is_space(character.code) != space) break;
    at += character.size;
  }
  return at;
}

std::size_t run_begin(std::string_view text, std::size_t at, bool space) {
  while (at > 0) {
    const auto previous = previous_character(text, at);
    if (is_space(character_at(text, previous).code) != space) break;
    at = previous;
  }
  return at;
}

}  // namespace

Text strip(const Text& text, std::string_view set, Ends ends) {
  const auto bytes = text.view();
  std::size_t begin = 0;
  std::size_t end = bytes.size();
  while (ends != Ends::right && begin < end) {
    const auto character = character_at(bytes, begin);
    if (!in_set(character.code, set)) break;
    begin += character.size;
  }
  while (ends != Ends::left && end > begin) {
    const auto previous = previous_character(bytes, end);
    if (!in_set(character_at(bytes, previous).code, set)) break;
    end = previous;
  }
  return text.slice(begin, end);
}

Result<Text> replace(Render& render, const Text& text, const Text& old, const Text& fresh,
                     std::int64_t count) {
  JINJA_CHECK(render.spend_bytes(text.size()));
  Text replaced;
  std::size_t at = 0;
  for (std::int64_t done = 0; done != count && at <= text.size(); ++done) {
    // An empty `old` matches between all characters.
    const auto found = old.empty() ? at : text.view().find(old.view(), at);
    if (found == kNone) break;
    JINJA_CHECK(render.spend(1 + fresh.size() / 64));
    JINJA_CHECK(render.heap().check_text(replaced.size() + fresh.size()));
    replaced.append(text, at, found);
    replaced.append(fresh);
    at = found + old.size();
    if (!old.empty()) continue;
    if (at == text.size()) return replaced;
    const auto next = at + character_at(text.view(), at).size;
    replaced.append(text, at, next);
    at = next;
  }
  replaced.append(text, std::min(at, text.size()), text.size());
  return replaced;
}

std::vector<Text> split(const Text& text, std::string_view separator, std::int64_t count) {
  std::vector<Text> pieces;
  std::size_t at = 0;
  while (static_cast<std::int64_t>(pieces.size()) != count) {
    const auto found = text.view().find(separator, at);
    if (found == kNone) break;
    pieces.push_back(text.slice(at, found));
    at = found + separator.size();
  }
  pieces.push_back(text.slice(at, text.size()));
  return pieces;
}

std::vector<Text> split_from_right(const Text& text, std::string_view separator,
                                   std::int64_t count) {
  std::vector<Text> pieces;
  std::size_t end = text.size();
  while (static_cast<std::int64_t>(pieces.size()) != count && end >= separator.size()) {
    const auto found = text.view().substr(0, end).rfind(separator);
    if (found == kNone) break;
    pieces.push_back(text.slice(found + separator.size(), end));
    end = found;
  }
  pieces.push_back(text.slice(0, end));
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<Text> split_at_space(const Text& text, std::int64_t count) {
  std::vector<Text> pieces;
  auto at = run_end(text.view(), 0, true);
  while (at < text.size() && static_cast<std::int64_t>(pieces.size()) != count) {
    const auto end = run_end(text.view(), at, false);
    pieces.push_back(text.slice(at, end));
    at = run_end(text.view(), end, true);
  }
  if (at < text.size()) pieces.push_back(text.slice(at, text.size()));
  return pieces;
}

std::vector<Text> split_at_space_from_right(const Text& text, std::int64_t count) {
  std::vector<Text> pieces;
  auto end = run_begin(text.view(), text.size(), true);
  while (end > 0 && static_cast<std::int64_t>(pieces.size()) != count) {
    const auto begin = run_begin(text.view(), end, false);
    pieces.push_back(text.slice(begin, end));
    end = run_begin(text.view(), begin, true);
  }
  if (end > 0) pieces.push_back(text.slice(0, end));
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

std::vector<Text> split_lines(const Text& text, bool keep_ends) {
  std::vector<Text> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = character_at(text.view(), at);
    auto next = at + character.size;
    if (is_line_end(character.code)) {
      if (character.code == '\r' && next < text.size() && text.bytes()[next] == '\n') ++next;
      lines.push_back(text.slice(begin, keep_ends ? next : at));
      begin = next;
    }
    at = next;
  }
  if (begin < text.size()) lines.push_back(text.slice(begin, text.size()));
  return lines;
}

}  // namespace troupe::model::jinja
