#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::model {

/// The alphabet in which byte-level vocabularies write bytes as printable characters: the 188
/// printable bytes of Latin-1 stand for themselves, the other 68, in order, for U+0100 to U+0143
/// (so a space is written as U+0120).
/// Source: A. Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, and the
/// vocabulary files published with it.

/// The character that stands for `byte`.
char32_t alphabet_char(std::uint8_t byte);

/// The byte that `code` stands for; nullopt for characters outside the alphabet.
std::optional<std::uint8_t> alphabet_byte(char32_t code);

/// `bytes` written in the alphabet, as UTF-8.
std::string write_alphabet(std::string_view bytes);

/// Appends the bytes that `text` stands for. False, with nothing appended, when `text` holds a
/// character outside the alphabet or is no UTF-8.
bool read_alphabet(std::string_view text, std::string& bytes);

}  // namespace troupe::model
