#include "troupe/model/jinja/unicode.h"

#include <clocale>
#include <cwctype>
#include <locale.h>

namespace troupe::model::jinja {
namespace {

constexpr char32_t kInvalid = 0x110000;

/// The C library's Unicode tables, whatever locale the host program has set.
locale_t unicode_locale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

/// Bytes of the sequence that `lead` opens; 0 when it opens none.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool is_overlong_or_surrogate(char32_t code, std::size_t size) {
  if (size == 3) return code < 0x800 || (code >= 0xD800 && code <= 0xDFFF);
  if (size == 4) return code < 0x10000 || code > 0x10FFFF;
  return false;
}

bool ascii(char32_t code, char first, char last) {
  return code >= static_cast<char32_t>(first) && code <= static_cast<char32_t>(last);
}

/// Asks the C library about a character above ASCII.
template <class Question>
bool ask(char32_t code, Question question) {
  const auto locale = unicode_locale();
  return code < kInvalid && locale && question(static_cast<wint_t>(code), locale);
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const auto size = sequence_length(lead);
  if (size == 1) return {lead, 1};
  if (size == 0 || at + size > text.size()) return {kInvalid + lead, 1};
  char32_t code = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0) != 0x80) return {kInvalid + lead, 1};
    code = (code << 6) | (next & 0x3F);
  }
  if (is_overlong_or_surrogate(code, size)) return {kInvalid + lead, 1};
  return {code, size};
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += character_at(text, at).size)
    ++count;
  return count;
}

std::size_t byte_offset(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index)
    at += character_at(text, at).size;
  return at;
}

std::string utf8(char32_t code) {
  const auto tail = [code](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

bool is_space(char32_t code) {
  if (code < 0x80)
    return code == ' ' || (code >= 9 && code <= 13) || (code >= 0x1C && code <= 0x1F);
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_digit(char32_t code) {
  return ascii(code, '0', '9');
}

bool is_alpha(char32_t code) {
  if (code < 0x80) return ascii(code, 'a', 'z') || ascii(code, 'A', 'Z');
  return ask(code, iswalpha_l);
}

bool is_upper(char32_t code) {
  return code < 0x80 ? ascii(code, 'A', 'Z') : ask(code, iswupper_l);
}

bool is_lower(char32_t code) {
  return code < 0x80 ? ascii(code, 'a', 'z') : code == 0xDF || ask(code, iswlower_l);
}

bool is_printable(char32_t code) {
  if (code < 0x80) return code >= 0x20 && code != 0x7F;
  return !is_space(code) && code != 0xAD && ask(code, iswprint_l);
}

std::string to_upper(char32_t code) {
  if (code == 0xDF) return "SS";
  if (code < 0x80) return {static_cast<char>(ascii(code, 'a', 'z') ? code - 32 : code)};
  if (!unicode_locale()) return utf8(code);
  return utf8(static_cast<char32_t>(towupper_l(static_cast<wint_t>(code), unicode_locale())));
}

std::string to_title(char32_t code) {
  return code == 0xDF ? "Ss" : to_upper(code);
}

std::string to_lower(char32_t code) {
  if (code < 0x80) return {static_cast<char>(ascii(code, 'A', 'Z') ? code + 32 : code)};
  if (!unicode_locale()) return utf8(code);
  return utf8(static_cast<char32_t>(towlower_l(static_cast<wint_t>(code), unicode_locale())));
}

}  // namespace troupe::model::jinja
