#include "nfc.h"

#include "troupe/core/utf8.h"

#include <algorithm>
#include <utf8proc.h>
#include <vector>

namespace troupe::bpe {
namespace {

struct Range {
  char32_t first, last;
};

constexpr Range kInert[] = {
    {0x0000, 0x02FF},    // Latin
    {0x0400, 0x0482},    // Cyrillic
    {0x048A, 0x052F},    //
    {0x3001, 0x3029},    // CJK punctuation
    {0x3041, 0x3096},    // Hiragana
    {0x309D, 0x30FF},    // Katakana
    {0x3400, 0x9FFF},    // ideographs
    {0xAC00, 0xD7A3},    // Hangul syllables
    {0xFF01, 0xFF60},    // full-width forms
    {0x1F300, 0x1FAFF},  // emoji
};

int combining_class(utf8proc_int32_t code) {
  return utf8proc_get_property(code)->combining_class;
}

/// Appends the canonical decomposition of one character.
void decompose(char32_t code, std::vector<utf8proc_int32_t>& out) {
  utf8proc_int32_t parts[8];
  int boundary = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, 8,
                                             UTF8PROC_DECOMPOSE, &boundary);
  out.insert(out.end(), parts, parts + std::clamp<utf8proc_ssize_t>(count, 0, 8));
}

/// Puts each run of combining marks into canonical order. The library's own way of doing this takes
/// quadratic time on a hostile run.
void order_marks(std::vector<utf8proc_int32_t>& codes) {
  for (auto run = codes.begin(); run != codes.end();) {
    if (combining_class(*run) == 0) {
      ++run;
      continue;
    }
    const auto end =
        std::find_if(run, codes.end(), [](auto code) { return combining_class(code) == 0; });
    std::stable_sort(run, end,
                     [](auto a, auto b) { return combining_class(a) < combining_class(b); });
    run = end;
  }
}

void append_normalised(std::string_view region, std::string& out) {
  std::vector<utf8proc_int32_t> codes;
  for (std::size_t i = 0; i < region.size();) {
    const auto unit = read_utf8(region, i);
    decompose(unit.code, codes);
    i += unit.length;
  }
  order_marks(codes);
  const auto count =
      utf8proc_normalize_utf32(codes.data(), static_cast<utf8proc_ssize_t>(codes.size()),
                               static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  for (utf8proc_ssize_t i = 0; i < count; ++i)
    append_utf8(out, static_cast<char32_t>(codes[static_cast<std::size_t>(i)]));
}

/// The next stretch that has to be looked at, from `from` on: characters that are not inert, and
/// the one before them, which they may combine with. Empty at the end of the text.
std::string_view next_region(std::string_view text, std::size_t from) {
  std::size_t last = from;  // the character before
  for (std::size_t i = from; i < text.size();) {
    const auto unit = read_utf8(text, i);
    if (is_nfc_inert(unit.code)) {
      last = i;
      i += unit.length;
      continue;
    }
    std::size_t end = i;
    for (auto next = unit; !is_nfc_inert(next.code);) {
      end += next.length;
      if (end == text.size()) break;
      next = read_utf8(text, end);
    }
    return text.substr(last, end - last);
  }
  return text.substr(text.size());
}

/// No character below U+0300 needs work by itself, and all others begin with a byte from CC on.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0xCC; });
}

}  // namespace

bool is_nfc_inert(char32_t code) {
  return std::any_of(std::begin(kInert), std::end(kInert),
                     [code](Range range) { return code >= range.first && code <= range.last; });
}

std::string_view to_nfc(std::string_view text, std::string& buffer) {
  if (is_plain(text)) return text;
  buffer.clear();
  std::size_t done = 0;
  while (true) {
    const auto region = next_region(text, done);
    const auto begin = static_cast<std::size_t>(region.data() - text.data());
    buffer.append(text.substr(done, begin - done));
    if (region.empty()) return buffer;
    append_normalised(region, buffer);
    done = begin + region.size();
  }
}

}  // namespace troupe::bpe
