#include "troupe/model/jinja/lexer.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <charconv>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

/// What a one-letter escape stands for; 0 when the letter has no such meaning.
char simple_escape(char letter) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  const auto at = kLetters.find(letter);
  return at == std::string_view::npos ? '\0' : kMeanings[at];
}

/// Number of digits after \x, \u and \U.
std::size_t digits_after(char letter) {
  return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

Result<std::string> code_point(std::string_view digits, std::size_t wanted, int base) {
  std::uint32_t code = 0;
  const auto end = digits.data() + digits.size();
  if (digits.size() != wanted || std::from_chars(digits.data(), end, code, base).ptr != end)
    return fail(ErrorCode::invalid_argument, "a malformed escape in this string: expected " +
                                                 std::to_string(wanted) + " hexadecimal digits");
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
    return fail(ErrorCode::invalid_argument, "an escape in this string names no character");
  return utf8(code);
}

std::size_t octal_length(std::string_view text) {
  std::size_t length = 0;
  while (length < 3 && length < text.size() && text[length] >= '0' && text[length] <= '7')
    ++length;
  return length;
}

/// Appends what the escape after a backslash means, and returns its length.
Result<std::size_t> read_escape(std::string_view text, std::string& out) {
  if (const char meaning = simple_escape(text[0])) {
    out += meaning;
    return 1u;
  }
  if (text[0] == '\n') return 1u;
  if (const auto octal = octal_length(text)) {
    JINJA_TRY(character, code_point(text.substr(0, octal), octal, 8));
    out += character;
    return octal;
  }
  if (const auto digits = digits_after(text[0])) {
    JINJA_TRY(character, code_point(text.substr(1, digits), digits, 16));
    out += character;
    return digits + 1;
  }
  out += '\\';
  return 0u;
}

}  // namespace

Result<std::string> unescape(std::string_view literal) {
  std::string out;
  for (std::size_t at = 0; at < literal.size();) {
    if (literal[at] != '\\' || at + 1 == literal.size()) {
      out += literal[at++];
      continue;
    }
    JINJA_TRY(length, read_escape(literal.substr(at + 1), out));
    at += 1 + length;
  }
  return out;
}

}  // namespace troupe::model::jinja
