#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// What stands at one place of a byte string read as UTF-8.
struct Utf8Unit {
  char32_t code = 0;        // the character; U+FFFD when the bytes are ill-formed
  std::uint8_t length = 0;  // bytes: of the character, or of the ill-formed run to replace as one
  bool valid = false;
  /// Ill-formed only because the text ends here: more bytes could complete the character.
  bool truncated = false;
};

/// Reads the unit at `text[offset]`. Ill-formed bytes are grouped by the rule of maximal subparts
/// (Unicode 15, section 3.9, table 3-8): the longest run that begins a character is one unit, any
/// other byte is a unit by itself. Pre: offset < text.size().
Utf8Unit read_utf8(std::string_view text, std::size_t offset);

/// Appends the UTF-8 form of a Unicode scalar value.
void append_utf8(std::string& out, char32_t code);

/// Whether every byte belongs to a well-formed character.
bool is_utf8(std::string_view text);

/// Length of the well-formed text at the beginning of `text`.
std::size_t utf8_prefix(std::string_view text);

/// Appends `text` to `out` with U+FFFD for each ill-formed unit.
void append_repaired_utf8(std::string& out, std::string_view text);

/// Passes a byte stream on as whole characters. `pending` holds the bytes of a character that is
/// not complete yet, at most 3, between calls. Ill-formed units become U+FFFD. The output does not
/// depend on how the stream was cut into calls.
void stream_utf8(std::string& pending, std::string_view bytes, std::string& out);

/// Ends a stream: an incomplete character becomes one U+FFFD, and `pending` is empty.
void finish_utf8(std::string& pending, std::string& out);

}  // namespace troupe
