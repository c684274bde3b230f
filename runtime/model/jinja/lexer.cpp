#include "troupe/model/jinja/lexer.h"

#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>
#include <optional>
#include <string>

namespace troupe::model::jinja {
namespace {

/// Offset of the next {{, {% or {#.
std::size_t find_tag(std::string_view text, std::size_t at) {
  for (at = text.find('{', at); at != std::string_view::npos; at = text.find('{', at + 1))
    if (at + 1 < text.size() &&
        std::string_view("{%#").find(text[at + 1]) != std::string_view::npos)
      return at;
  return std::string_view::npos;
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const auto character = character_at(text, at);
    if (!is_space(character.code)) break;
    at += character.size;
  }
  return at;
}

/// Where the white space at the end of text[begin, end) starts.
std::size_t trailing_space(std::string_view text, std::size_t begin, std::size_t end) {
  auto keep = begin;
  for (auto at = begin; at < end;) {
    const auto character = character_at(text, at);
    at += character.size;
    if (!is_space(character.code)) keep = at;
  }
  return keep;
}

/// The end of `{% word %}` opened before `at`, whose closing sign goes to `sign`; npos when another
/// tag stands there.
std::size_t match_word_tag(std::string_view text, std::size_t at, std::string_view word,
                           char& sign) {
  at = skip_spaces(text, at);
  if (text.substr(at, word.size()) != word) return std::string_view::npos;
  at = skip_spaces(text, at + word.size());
  sign = at < text.size() && (text[at] == '-' || text[at] == '+') ? text[at] : '\0';
  if (sign) ++at;
  return text.substr(at, 2) == "%}" ? at + 2 : std::string_view::npos;
}

}  // namespace

void Lexer::add(TokenKind kind, std::size_t offset, std::string text) {
  Token token;
  token.kind = kind;
  token.text = std::move(text);
  token.at = offset;
  tokens_.push_back(std::move(token));
}

Result<std::vector<Token>> Lexer::tokens() {
  while (at_ < text_.size()) {
    const auto tag = find_tag(text_, at_);
    if (tag == std::string_view::npos) {
      add_data(at_, text_.size(), '\0', false);
      at_ = text_.size();
      break;
    }
    JINJA_CHECK(read_tag(tag));
  }
  add(TokenKind::end, text_.size());
  return std::move(tokens_);
}

void Lexer::add_data(std::size_t begin, std::size_t end, char sign, bool strip_line_start) {
  if (sign == '-') {
    end = trailing_space(text_, begin, end);
  } else if (sign != '+' && strip_line_start) {
    const auto newline = text_.substr(begin, end - begin).rfind('\n');
    const auto line = newline == std::string_view::npos ? begin : begin + newline + 1;
    const bool starts_line = newline != std::string_view::npos || line_start_;
    if (starts_line && skip_spaces(text_.substr(0, end), line) == end) end = line;
  }
  if (end > begin) add(TokenKind::data, begin, std::string(text_.substr(begin, end - begin)));
}

Result<void> Lexer::read_tag(std::size_t begin) {
  const char kind = text_[begin + 1];
  const char next = begin + 2 < text_.size() ? text_[begin + 2] : '\0';
  const char sign = next == '-' || next == '+' ? next : '\0';
  add_data(at_, begin, sign, kind != '{');
  at_ = begin + 2 + (sign ? 1 : 0);
  if (kind == '#') return skip_comment();
  if (kind == '%') {
    JINJA_TRY(raw, read_raw());
    if (raw) return {};
    add(TokenKind::block_begin, begin);
    return read_expression(TokenKind::block_end, "%}");
  }
  add(TokenKind::variable_begin, begin);
  return read_expression(TokenKind::variable_end, "}}");
}

Result<void> Lexer::skip_comment() {
  const auto begin = at_;
  const auto end = text_.find("#}", at_);
  if (end == std::string_view::npos)
    return source_.error(begin, "this comment does not end: expected '#}'");
  const char last = end > at_ ? text_[end - 1] : '\0';
  at_ = end + 2;
  after_tag(last == '-' || last == '+' ? last : '\0', true);
  return {};
}

Result<bool> Lexer::read_raw() {
  char sign = '\0';
  const auto begin = at_;
  auto at = match_word_tag(text_, at_, "raw", sign);
  if (at == std::string_view::npos || sign == '+') return false;
  if (sign == '-') at = skip_spaces(text_, at);
  for (auto tag = text_.find("{%", at); tag != std::string_view::npos;
       tag = text_.find("{%", tag + 2)) {
    auto inner = tag + 2;
    const char before = inner < text_.size() ? text_[inner] : '\0';
    if (before == '-' || before == '+') ++inner;
    const auto end = match_word_tag(text_, inner, "endraw", sign);
    if (end == std::string_view::npos) continue;
    line_start_ = false;
    add_data(at, tag, before, true);
    at_ = end;
    after_tag(sign, true);
    return true;
  }
  return source_.error(begin, "this raw block does not end: expected '{% endraw %}'");
}

void Lexer::after_tag(char sign, bool block) {
  const auto begin = at_;
  if (sign == '-') {
    at_ = skip_spaces(text_, at_);
  } else if (sign != '+' && block && peek() == '\n') {
    ++at_;
  }
  line_start_ = at_ > begin && text_[at_ - 1] == '\n';
}

}  // namespace troupe::model::jinja
