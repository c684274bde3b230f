#pragma once
#include <string>
#include <string_view>

namespace troupe::bpe {

/// Whether a character is left alone by normal form C whatever stands around it, unless a character
/// that is not inert follows. True for most text; a quick test, not an exact one.
bool is_nfc_inert(char32_t code);

/// Unicode normal form C of `text`, in time linear in its length but for sorting runs of combining
/// marks (n log n). Returns `text` itself when nothing has to be done, otherwise a view of
/// `buffer`. Pre: well-formed UTF-8. Source: Unicode Standard Annex 15; data from utf8proc.
std::string_view to_nfc(std::string_view text, std::string& buffer);

}  // namespace troupe::bpe
