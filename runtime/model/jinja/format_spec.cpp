#include "troupe/model/jinja/format_spec.h"

#include "troupe/model/jinja/number_format.h"
#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>

namespace troupe::model::jinja {
namespace {

bool contains_letter(std::string_view letters, char letter) {
  return letter != '\0' && letters.find(letter) != std::string_view::npos;
}

void read_alignment(std::string_view& text, FormatSpec& spec) {
  if (text.empty()) return;
  const auto first = character_at(text, 0).size;
  if (text.size() > first && contains_letter("<>=^", text[first])) {
    spec.fill = std::string(text.substr(0, first));
    spec.align = text[first];
    text.remove_prefix(first + 1);
  } else if (contains_letter("<>=^", text[0])) {
    spec.align = text[0];
    text.remove_prefix(1);
  }
}

/// Takes the first character when it is one of those.
char take(std::string_view& text, std::string_view letters) {
  if (text.empty() || !contains_letter(letters, text[0])) return '\0';
  const char letter = text[0];
  text.remove_prefix(1);
  return letter;
}

void append_fill(Text& out, const FormatSpec& spec, std::size_t count) {
  for (; count > 0; --count)
    out.append(spec.fill, false);
}

/// Appends the text between its fill. `lead` bytes of it (a sign) come before the fill of '='.
void append_aligned(Text& out, const Text& text, const FormatSpec& spec, char align,
                    std::size_t lead) {
  const auto length = character_count(text.view());
  const auto space = spec.width > length ? spec.width - length : 0;
  const auto before = align == '^' ? space / 2 : align == '<' ? 0 : space;
  if (align != '=') lead = 0;
  out.append(text, 0, lead);
  append_fill(out, spec, before);
  out.append(text, lead, text.size());
  append_fill(out, spec, space - before);
}

bool is_number_type(char type) {
  return contains_letter("bcdoxXneEfFgG%", type);
}

}  // namespace

Result<std::size_t> read_width(std::string_view& text) {
  std::size_t width = 0;
  while (!text.empty() && is_digit(static_cast<unsigned char>(text[0]))) {
    width = width * 10 + static_cast<std::size_t>(text[0] - '0');
    if (width > kMaxFormatWidth)
      return fault("a width or precision above " + std::to_string(kMaxFormatWidth) +
                   " in a format");
    text.remove_prefix(1);
  }
  return width;
}

Result<FormatSpec> parse_format_spec(std::string_view text) {
  const std::string whole(text);
  FormatSpec spec;
  read_alignment(text, spec);
  if (const char sign = take(text, "+- ")) spec.sign = sign;
  spec.alternate = take(text, "#") != '\0';
  if (take(text, "0") && spec.align == '\0') {
    spec.fill = "0";
    spec.align = '=';
  }
  JINJA_TRY(width, read_width(text));
  spec.width = width;
  spec.grouping = take(text, ",_");
  if (take(text, ".")) {
    JINJA_TRY(precision, read_width(text));
    spec.has_precision = true;
    spec.precision = precision;
  }
  spec.type = take(text, "bcdeEfFgGnosxX%");
  if (!text.empty()) return fault("Invalid format specifier '" + whole + "'");
  return spec;
}

Result<void> append_formatted(Render& render, Text& out, const Var& value, const FormatSpec& spec) {
  JINJA_CHECK(render.spend(1 + spec.width / 16));
  JINJA_CHECK(render.heap().check_text(out.size() + spec.width));
  const bool number =
      value.is_number() && (!value.is_boolean() || spec.type != '\0') && spec.type != 's';
  if (number) {
    JINJA_TRY(digits, number_text(value, spec));
    const auto lead = contains_letter("+- ", digits[0]) ? 1u : 0u;
    append_aligned(out, Text(std::move(digits), value.trusted()), spec,
                   spec.align ? spec.align : '>', lead);
    return {};
  }
  if (is_number_type(spec.type))
    return fault(std::string("Unknown format code '") + spec.type + "' for object of type '" +
                 std::string(type_name(value)) + "'");
  JINJA_TRY(text, str(render, value));
  if (spec.has_precision) text = text.slice(0, byte_offset(text.view(), spec.precision));
  JINJA_CHECK(render.heap().check_text(out.size() + text.size()));
  append_aligned(out, text, spec, spec.align && spec.align != '=' ? spec.align : '<', 0);
  return {};
}

}  // namespace troupe::model::jinja
