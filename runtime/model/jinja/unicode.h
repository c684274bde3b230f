#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::model::jinja {

/// One character of a string: its code point and its bytes. An invalid byte is a character of its
/// own, with a code point above 0x10FFFF, so that every string can be walked and rebuilt.
struct Character {
  char32_t code = 0;
  std::size_t size = 1;
};

/// The character that starts at `at`. Pre: at < text.size().
Character character_at(std::string_view text, std::size_t at);
/// Number of characters.
std::size_t character_count(std::string_view text);
/// Byte offset of the character `index`; text.size() when there are not as many.
std::size_t byte_offset(std::string_view text, std::size_t index);
/// UTF-8 of a code point. Pre: code <= 0x10FFFF.
std::string utf8(char32_t code);

// What Python's str says of a character.
bool is_space(char32_t code);
bool is_alpha(char32_t code);
bool is_digit(char32_t code);
bool is_upper(char32_t code);
bool is_lower(char32_t code);
bool is_printable(char32_t code);
/// Simple case mapping, and "SS" for the sharp s. UTF-8.
std::string to_upper(char32_t code);
std::string to_lower(char32_t code);
/// As to_upper, but "Ss" for the sharp s: the form at the start of a word.
std::string to_title(char32_t code);

}  // namespace troupe::model::jinja
