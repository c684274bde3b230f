#pragma once
#include "troupe/api/result.h"
#include "troupe/model/jinja/render.h"
#include "troupe/model/jinja/var.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::model::jinja {

/// How a replacement field shows its value, from "{:>10.2f}" or "%-10.2f".
struct FormatSpec {
  std::string fill = " ";  // one character
  char align = '\0';       // < > ^ =, or none
  char sign = '-';
  bool alternate = false;
  char grouping = '\0';
  std::size_t width = 0;
  bool has_precision = false;
  std::size_t precision = 0;
  char type = '\0';
};

/// Widths and precisions above this are refused.
inline constexpr std::size_t kMaxFormatWidth = 10'000;

/// Reads what follows the colon of a replacement field.
/// Errors: invalid_argument, "Invalid format specifier '...'".
Result<FormatSpec> parse_format_spec(std::string_view text);
/// Reads a width or precision at the start of `text`, and drops it there.
Result<std::size_t> read_width(std::string_view& text);

/// Appends a value as the spec says. Strings keep their marks; fill and numbers' digits get the
/// number's mark.
/// Errors: invalid_argument for a type letter that does not fit the value.
Result<void> append_formatted(Render& render, Text& out, const Var& value, const FormatSpec& spec);

}  // namespace troupe::model::jinja
