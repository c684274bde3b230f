#include "troupe/model/jinja/arguments.h"
#include "troupe/model/jinja/builtins.h"
#include "troupe/model/jinja/operators.h"
#include "troupe/model/jinja/text_search.h"
#include "troupe/model/jinja/try.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::model::jinja {
namespace {

constexpr double kIntegerLimit = 9223372036854775808.0;  // 2^63

/// The number that a whole text spells in a base, as Python's int() reads it.
std::optional<std::int64_t> parse_integer(std::string_view text, int base) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto prefix = text.size() > 2 && text[0] == '0' ? text[1] | 32 : 0;
  if ((prefix == 'x' && base == 16) || (prefix == 'o' && base == 8) || (prefix == 'b' && base == 2))
    text.remove_prefix(2);
  if (text.empty() || text[0] == '-') return std::nullopt;
  std::string digits(negative ? "-" : "");
  for (const char c : text)
    if (c != '_') digits += c;
  std::int64_t number = 0;
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::optional<double> parse_real(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::optional<std::int64_t> truncated(double number) {
  if (!(std::fabs(number) < kIntegerLimit)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Result<Var> to_int(Call& call) {
  JINJA_CHECK(require_defined(call.self));
  const Var otherwise = call.given(0) ? call.args[0] : Var::integer(0, true);
  JINJA_TRY(base, integer_argument(call, 1, 10));
  if (base < 2 || base > 36) return fault("int() base must be >= 2 and <= 36");
  if (call.self.is_integer()) return Var::integer(call.self.as_integer(), call.self.trusted());
  std::optional<std::int64_t> number;
  if (call.self.is_number()) {
    number = truncated(call.self.as_real());
  } else if (call.self.is_string()) {
    JINJA_CHECK(call.render.spend(call.self.as_text().size() / 8));
    const auto text = strip(call.self.as_text(), {}, Ends::both);
    number = parse_integer(text.view(), static_cast<int>(base));
    const auto real = number ? std::nullopt : parse_real(text.view());
    if (real) number = truncated(*real);
  }
  return number ? Var::integer(*number) : otherwise;
}

Result<Var> to_float(Call& call) {
  JINJA_CHECK(require_defined(call.self));
  if (call.self.is_number()) return Var::real(call.self.as_real(), call.self.trusted());
  if (call.self.is_string()) {
    JINJA_CHECK(call.render.spend(call.self.as_text().size() / 8));
    const auto text = strip(call.self.as_text(), {}, Ends::both);
    if (const auto number = parse_real(text.view())) return Var::real(*number);
  }
  return call.given(0) ? call.args[0] : Var::real(0, true);
}

Result<Var> absolute(Call& call) {
  JINJA_CHECK(require_defined(call.self));
  if (!call.self.is_number())
    return fault("bad operand type for abs(): '" + std::string(type_name(call.self)) + "'");
  return call.self.as_real() < 0 ? negate(call.self) : call.self;
}

/// Python's round(): to the nearest decimal of that many places, halves to even.
double round_decimal(double value, int places) {
  if (!std::isfinite(value)) return value;
  if (places < 0) {
    const double unit = std::pow(10.0, -places);
    return std::nearbyint(value / unit) * unit;
  }
  std::string buffer(static_cast<std::size_t>(places) + 400, '\0');
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, places)
                       .ptr;
  double rounded = value;
  std::from_chars(buffer.data(), end, rounded);
  return rounded;
}

Result<Var> round(Call& call) {
  JINJA_CHECK(require_defined(call.self));
  JINJA_TRY(places, integer_argument(call, 0, 0));
  JINJA_TRY(method, text_argument(call, 1, Text("common", true)));
  if (!call.self.is_number())
    return fault("type " + std::string(type_name(call.self)) + " doesn't define __round__ method");
  if (places < -300 || places > 300) return fault("round() takes from -300 to 300 places");
  const double value = call.self.as_real();
  if (method.bytes() == "common") {
    if (call.self.is_integer() && places >= 0) return call.self;
    return Var::real(round_decimal(value, static_cast<int>(places)), call.self.trusted());
  }
  if (method.bytes() != "ceil" && method.bytes() != "floor")
    return fault("method must be common, ceil or floor");
  const double unit = std::pow(10.0, static_cast<double>(places));
  const double scaled =
      method.bytes() == "ceil" ? std::ceil(value * unit) : std::floor(value * unit);
  return Var::real(scaled / unit, call.self.trusted());
}

constexpr Builtin kFilters[] = {
    {"int", "default? base?", &to_int},
    {"float", "default?", &to_float},
    {"abs", "", &absolute},
    {"round", "precision? method?", &round},
};

}  // namespace

std::span<const Builtin> number_filters() {
  return kFilters;
}

}  // namespace troupe::model::jinja
