#include "troupe/core/utf8.h"

#include <cstring>

namespace troupe {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// What a lead byte announces: the length of its character, the bits it carries, and the range of
/// the second byte, which is where overlong forms, surrogates and values past U+10FFFF show.
struct Lead {
  std::uint8_t length;  // 0: no character begins with this byte
  std::uint8_t bits;
  std::uint8_t second_min;
  std::uint8_t second_max;
};

Lead lead_of(std::uint8_t byte) {
  if (byte < 0x80) return {1, byte, 0, 0};
  if (byte < 0xC2) return {0, 0, 0, 0};
  if (byte < 0xE0) return {2, static_cast<std::uint8_t>(byte & 0x1F), 0x80, 0xBF};
  if (byte < 0xF0) {
    const std::uint8_t min = byte == 0xE0 ? 0xA0 : 0x80;
    const std::uint8_t max = byte == 0xED ? 0x9F : 0xBF;
    return {3, static_cast<std::uint8_t>(byte & 0x0F), min, max};
  }
  if (byte < 0xF5) {
    const std::uint8_t min = byte == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t max = byte == 0xF4 ? 0x8F : 0xBF;
    return {4, static_cast<std::uint8_t>(byte & 0x07), min, max};
  }
  return {0, 0, 0, 0};
}

/// Length of the ASCII text at the beginning of `text`, eight bytes at a time.
std::size_t ascii_prefix(std::string_view text) {
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (word & 0x8080808080808080u) break;
  }
  while (i < text.size() && static_cast<std::uint8_t>(text[i]) < 0x80)
    ++i;
  return i;
}

}  // namespace

Utf8Unit read_utf8(std::string_view text, std::size_t offset) {
  const auto byte_at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[offset + i]); };
  const Lead lead = lead_of(byte_at(0));
  if (lead.length == 1) return {lead.bits, 1, true, false};
  if (lead.length == 0) return {0xFFFD, 1, false, false};
  const std::size_t room = text.size() - offset;
  char32_t code = lead.bits;
  for (std::uint8_t i = 1; i < lead.length; ++i) {
    if (i >= room) return {0xFFFD, i, false, true};
    const std::uint8_t byte = byte_at(i);
    const std::uint8_t min = i == 1 ? lead.second_min : 0x80;
    const std::uint8_t max = i == 1 ? lead.second_max : 0xBF;
    if (byte < min || byte > max) return {0xFFFD, i, false, false};
    code = (code << 6) | (byte & 0x3F);
  }
  return {code, lead.length, true, false};
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::size_t utf8_prefix(std::string_view text) {
  std::size_t offset = 0;
  while (true) {
    offset += ascii_prefix(text.substr(offset));
    if (offset == text.size()) return offset;
    const auto unit = read_utf8(text, offset);
    if (!unit.valid) return offset;
    offset += unit.length;
  }
}

bool is_utf8(std::string_view text) {
  return utf8_prefix(text) == text.size();
}

void append_repaired_utf8(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto good = utf8_prefix(text);
    out.append(text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) return;
    out.append(kReplacement);
    text.remove_prefix(read_utf8(text, 0).length);
  }
}

void stream_utf8(std::string& pending, std::string_view bytes, std::string& out) {
  // The incomplete character is finished byte by byte; what follows it is taken as one piece.
  while (!pending.empty() && !bytes.empty()) {
    pending.push_back(bytes.front());
    const auto unit = read_utf8(pending, 0);
    if (unit.valid) {
      out.append(pending);
      pending.clear();
    } else if (!unit.truncated) {
      out.append(kReplacement);
      pending.clear();
      continue;  // the byte that broke it begins something of its own
    }
    bytes.remove_prefix(1);
  }
  while (!bytes.empty()) {
    const auto good = utf8_prefix(bytes);
    out.append(bytes.substr(0, good));
    bytes.remove_prefix(good);
    if (bytes.empty()) return;
    const auto unit = read_utf8(bytes, 0);
    if (unit.truncated) {
      pending.assign(bytes);
      return;
    }
    out.append(kReplacement);
    bytes.remove_prefix(unit.length);
  }
}

void finish_utf8(std::string& pending, std::string& out) {
  if (!pending.empty()) out.append(kReplacement);
  pending.clear();
}

}  // namespace troupe
