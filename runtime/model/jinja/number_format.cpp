#include "troupe/model/jinja/number_format.h"

#include "troupe/model/jinja/stringify.h"
#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace troupe::model::jinja {
namespace {

bool is_real_type(char type) {
  return type != '\0' && std::string_view("eEfFgG%").find(type) != std::string_view::npos;
}

std::string raised(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  return text;
}

/// Puts a separator between groups of three digits of the whole part.
std::string grouped(std::string digits, char separator) {
  if (separator == '\0') return digits;
  auto at = std::min(digits.find_first_not_of("0123456789"), digits.size());
  while (at > 3) {
    at -= 3;
    digits.insert(at, 1, separator);
  }
  return digits;
}

std::string sign_text(bool negative, char sign) {
  if (negative) return "-";
  return sign == '-' ? "" : std::string(1, sign);
}

std::string to_base(std::uint64_t magnitude, int base) {
  char buffer[70];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr};
}

Result<std::string> integer_digits(std::uint64_t magnitude, const FormatSpec& spec) {
  switch (spec.type) {
    case 'b':
      return (spec.alternate ? "0b" : "") + to_base(magnitude, 2);
    case 'o':
      return (spec.alternate ? "0o" : "") + to_base(magnitude, 8);
    case 'x':
      return (spec.alternate ? "0x" : "") + to_base(magnitude, 16);
    case 'X':
      return (spec.alternate ? "0X" : "") + raised(to_base(magnitude, 16));
    default:
      return grouped(to_base(magnitude, 10), spec.grouping);
  }
}

std::string real_digits(double magnitude, const FormatSpec& spec) {
  if (!std::isfinite(magnitude)) return std::isnan(magnitude) ? "nan" : "inf";
  const char type =
      spec.type == '\0' ? (spec.has_precision ? 'g' : '\0') : static_cast<char>(spec.type | 32);
  if (type == '\0') return grouped(real_repr(magnitude), spec.grouping);
  const bool percent = spec.type == '%';
  const auto format = type == 'e'   ? std::chars_format::scientific
                      : type == 'g' ? std::chars_format::general
                                    : std::chars_format::fixed;
  int precision = spec.has_precision ? static_cast<int>(spec.precision) : 6;
  if (type == 'g') precision = std::max(precision, 1);
  std::string buffer(static_cast<std::size_t>(precision) + 400, '\0');
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                 percent ? magnitude * 100 : magnitude, format, precision)
                       .ptr;
  buffer.resize(static_cast<std::size_t>(end - buffer.data()));
  return grouped(std::move(buffer), spec.grouping) + (percent ? "%" : "");
}

}  // namespace

Result<std::string> number_text(const Var& value, const FormatSpec& spec) {
  if (value.is_integer() && !is_real_type(spec.type)) {
    const auto number = value.as_integer();
    if (spec.type == 'c') {
      if (number < 0 || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF))
        return fault("%c arg not in range(0x110000)");
      return utf8(static_cast<char32_t>(number));
    }
    const auto magnitude =
        number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    JINJA_TRY(digits, integer_digits(magnitude, spec));
    return sign_text(number < 0, spec.sign) + digits;
  }
  const char type = spec.type;
  if (!is_real_type(type) && type != '\0' && type != 'n')
    return fault(std::string("Unknown format code '") + type + "' for object of type 'float'");
  auto digits = real_digits(std::fabs(value.as_real()), spec);
  if (type == 'E' || type == 'F' || type == 'G') digits = raised(std::move(digits));
  return sign_text(std::signbit(value.as_real()), spec.sign) + digits;
}

}  // namespace troupe::model::jinja
