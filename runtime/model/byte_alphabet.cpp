#include "troupe/model/byte_alphabet.h"

#include "troupe/core/utf8.h"

#include <array>

namespace troupe::model {
namespace {

constexpr char32_t kFirstSubstitute = 0x100;
constexpr std::size_t kCharacters = 0x144;

constexpr bool is_printable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) ||
         (byte >= 0xAE && byte <= 0xFF);
}

struct Tables {
  std::array<char32_t, 256> to_char{};
  std::array<std::int16_t, kCharacters> to_byte{};
};

constexpr Tables make_tables() {
  Tables tables;
  for (auto& byte : tables.to_byte)
    byte = -1;
  char32_t substitute = kFirstSubstitute;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t code = is_printable(byte) ? static_cast<char32_t>(byte) : substitute++;
    tables.to_char[static_cast<std::size_t>(byte)] = code;
    tables.to_byte[code] = static_cast<std::int16_t>(byte);
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

char32_t alphabet_char(std::uint8_t byte) {
  return kTables.to_char[byte];
}

std::optional<std::uint8_t> alphabet_byte(char32_t code) {
  if (code >= kCharacters || kTables.to_byte[code] < 0) return std::nullopt;
  return static_cast<std::uint8_t>(kTables.to_byte[code]);
}

std::string write_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes)
    append_utf8(text, alphabet_char(static_cast<std::uint8_t>(byte)));
  return text;
}

bool read_alphabet(std::string_view text, std::string& bytes) {
  const std::size_t before = bytes.size();
  for (std::size_t i = 0; i < text.size();) {
    const auto unit = read_utf8(text, i);
    const auto byte = unit.valid ? alphabet_byte(unit.code) : std::nullopt;
    if (!byte) {
      bytes.resize(before);
      return false;
    }
    bytes.push_back(static_cast<char>(*byte));
    i += unit.length;
  }
  return true;
}

}  // namespace troupe::model
