#include "troupe/model/jinja/lexer.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace troupe::model::jinja {
namespace {

bool starts_name(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return byte == '_' || code >= 0x80 || is_alpha(code);
}

bool in_name(char byte) {
  return starts_name(byte) || is_digit(static_cast<unsigned char>(byte));
}

/// The digits of a number of that base, underscores between them included.
std::size_t digits_length(std::string_view text, int base) {
  const auto is_digit_of_base = [base](char c) {
    const int value = c >= '0' && c <= '9'                 ? c - '0'
                      : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                           : 99;
    return value < base;
  };
  std::size_t length = 0;
  while (length < text.size()) {
    if (is_digit_of_base(text[length])) {
      ++length;
    } else if (text[length] == '_' && length + 1 < text.size() &&
               is_digit_of_base(text[length + 1])) {
      length += 2;
    } else {
      break;
    }
  }
  return length;
}

std::string without_underscores(std::string_view text) {
  std::string digits(text);
  std::erase(digits, '_');
  return digits;
}

/// The base that "0x", "0o" or "0b" announces; 0 without such a prefix.
int prefixed_base(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return 0;
  const char letter = static_cast<char>(text[1] | 32);
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  return base && digits_length(text.substr(2), base) > 0 ? base : 0;
}

/// Length of the fraction and exponent of a decimal number whose whole part ends at `at`.
std::size_t fraction_length(std::string_view text, std::size_t at) {
  const auto begin = at;
  if (at + 1 < text.size() && text[at] == '.' && digits_length(text.substr(at + 1), 10) > 0)
    at += 1 + digits_length(text.substr(at + 1), 10);
  if (at < text.size() && (text[at] | 32) == 'e') {
    const auto sign =
        at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-') ? 1u : 0u;
    const auto digits =
        at + 1 + sign < text.size() ? digits_length(text.substr(at + 1 + sign), 10) : 0;
    if (digits > 0) at += 1 + sign + digits;
  }
  return at - begin;
}

constexpr std::array<std::string_view, 26> kSymbols = {
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
    "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};

char closing_bracket(char opening) {
  return opening == '(' ? ')' : opening == '[' ? ']' : '}';
}

}  // namespace

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const auto character = character_at(text_, at_);
    if (!is_space(character.code)) return;
    at_ += character.size;
  }
}

Result<void> Lexer::read_expression(TokenKind end_kind, std::string_view closing) {
  const auto begin = at_;
  open_brackets_.clear();
  while (true) {
    skip_space();
    if (at_ >= text_.size())
      return source_.error(begin, "this tag does not end: expected '" + std::string(closing) + "'");
    if (open_brackets_.empty() && read_end(end_kind, closing)) return {};
    JINJA_CHECK(read_token());
  }
}

bool Lexer::read_end(TokenKind end_kind, std::string_view closing) {
  const bool block = end_kind == TokenKind::block_end;
  const bool has_sign = peek() == '-' || (block && peek() == '+');
  const char sign = has_sign ? peek() : '\0';
  if (rest().substr(has_sign ? 1 : 0, 2) != closing) return false;
  add(end_kind, at_);
  at_ += has_sign ? 3 : 2;
  after_tag(sign, block);
  return true;
}

Result<void> Lexer::read_token() {
  const char next = peek();
  if (is_digit(static_cast<unsigned char>(next))) return read_number();
  if (next == '\'' || next == '"') return read_string();
  if (!starts_name(next)) return read_symbol();
  read_name();
  return {};
}

void Lexer::read_name() {
  const auto begin = at_;
  while (at_ < text_.size() && in_name(text_[at_]))
    ++at_;
  add(TokenKind::name, begin, std::string(text_.substr(begin, at_ - begin)));
}

Result<void> Lexer::read_number() {
  const auto begin = at_;
  const auto text = rest();
  const int base = prefixed_base(text);
  const auto whole = base ? digits_length(text.substr(2), base) : digits_length(text, 10);
  const auto fraction = base ? 0 : fraction_length(text, whole);
  const auto digits = without_underscores(text.substr(base ? 2 : 0, whole + fraction));
  add(fraction > 0 ? TokenKind::real : TokenKind::integer, begin);
  at_ += (base ? 2 : 0) + whole + fraction;
  const char* end = digits.data() + digits.size();
  const auto read =
      fraction > 0
          ? std::from_chars(digits.data(), end, tokens_.back().real).ec
          : std::from_chars(digits.data(), end, tokens_.back().integer, base ? base : 10).ec;
  if (read != std::errc())
    return source_.error(begin, "the number " + digits + " does not fit 64 bits");
  return {};
}

Result<void> Lexer::read_string() {
  const auto begin = at_;
  const char quote = text_[at_++];
  while (at_ < text_.size() && text_[at_] != quote)
    at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size())
    return source_.error(begin, std::string("this string does not end: expected ") + quote);
  auto content = unescape(text_.substr(begin + 1, at_ - begin - 1));
  if (!content) return source_.error(begin, content.error().message());
  ++at_;
  add(TokenKind::string, begin, std::move(*content));
  return {};
}

Result<void> Lexer::read_symbol() {
  const auto found = std::find_if(kSymbols.begin(), kSymbols.end(), [this](std::string_view s) {
    return rest().substr(0, s.size()) == s;
  });
  if (found == kSymbols.end())
    return source_.error(at_, std::string("unexpected character '") + peek() + "' inside a tag");
  const char bracket = (*found)[0];
  if (std::string_view("([{").find(bracket) != std::string_view::npos) {
    open_brackets_.push_back(closing_bracket(bracket));
  } else if (std::string_view(")]}").find(bracket) != std::string_view::npos) {
    if (open_brackets_.empty())
      return source_.error(at_, std::string("'") + bracket + "' was never opened");
    if (open_brackets_.back() != bracket)
      return source_.error(
          at_, std::string("expected '") + open_brackets_.back() + "', found '" + bracket + "'");
    open_brackets_.pop_back();
  }
  add(TokenKind::symbol, at_, std::string(*found));
  at_ += found->size();
  return {};
}

}  // namespace troupe::model::jinja
