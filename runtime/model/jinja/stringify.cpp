#include "troupe/model/jinja/stringify.h"

#include "troupe/model/jinja/try.h"
#include "troupe/model/jinja/unicode.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace troupe::model::jinja {
namespace {

constexpr int kMaxDepth = 100;

/// Digits without a point and the exponent of the first: 12.5 is "125", 1.
std::pair<std::string, int> shortest_digits(double magnitude) {
  char buffer[40];
  const char* end =
      std::to_chars(buffer, buffer + sizeof buffer, magnitude, std::chars_format::scientific).ptr;
  std::string digits;
  const char* at = buffer;
  for (; at != end && *at != 'e'; ++at)
    if (*at != '.') digits += *at;
  return {digits, std::atoi(std::string(at + 1, end).c_str())};
}

std::string positional(std::string digits, int exponent) {
  if (exponent < 0)
    return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return digits + std::string(whole - digits.size(), '0') + ".0";
  return digits.insert(whole, ".");
}

std::string scientific(std::string digits, int exponent) {
  if (digits.size() > 1) digits.insert(1, ".");
  const auto power = std::to_string(std::abs(exponent));
  return digits + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
}

/// The escape that repr writes for a character; empty when it stands for itself.
std::string repr_escape(char32_t code, char quote) {
  if (code == static_cast<char32_t>(quote) || code == '\\') return {'\\', static_cast<char>(code)};
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (is_printable(code)) return {};
  char buffer[12];
  const auto value = static_cast<unsigned>(code > 0x10FFFF ? code - 0x110000 : code);
  std::snprintf(buffer, sizeof buffer,
                value < 0x100     ? "\\x%02x"
                : value < 0x10000 ? "\\u%04x"
                                  : "\\U%08x",
                value);
  return buffer;
}

void append_string_repr(Text& out, const Text& text) {
  const auto bytes = text.view();
  const bool single = bytes.find('\'') != std::string_view::npos;
  const char quote = single && bytes.find('"') == std::string_view::npos ? '"' : '\'';
  out.append({&quote, 1}, false);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto character = character_at(bytes, at);
    const auto escape = repr_escape(character.code, quote);
    if (escape.empty()) {
      out.append(text, at, at + character.size);
    } else {
      out.append(escape, text.trusted_at(at));
    }
    at += character.size;
  }
  out.append({&quote, 1}, false);
}

Result<void> append_items(Render& render, Text& out, const std::vector<Var>& items, int depth) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.append(", ", false);
    JINJA_CHECK(append_repr(render, out, items[i], depth));
  }
  return {};
}

Result<void> append_sequence(Render& render, Text& out, const Var& value, int depth) {
  const Sequence& sequence = value.as_sequence();
  switch (sequence.kind) {
    case SequenceKind::generator:
      out.append("<generator object>", false);
      return {};
    case SequenceKind::range:
    case SequenceKind::list:
      out.append("[", false);
      break;
    case SequenceKind::tuple:
      out.append("(", false);
      break;
    case SequenceKind::view:
      out.append("dict_items([", false);
      break;
  }
  JINJA_CHECK(append_items(render, out, sequence.items, depth));
  const bool tuple = sequence.kind == SequenceKind::tuple;
  if (tuple && sequence.items.size() == 1) out.append(",", false);
  out.append(tuple ? ")" : sequence.kind == SequenceKind::view ? "])" : "]", false);
  return {};
}

Result<void> append_mapping(Render& render, Text& out, const Mapping& mapping, int depth) {
  if (mapping.is_namespace) out.append("<Namespace ", false);
  out.append("{", false);
  bool first = true;
  for (const auto& [key, item] : mapping.entries) {
    if (!first) out.append(", ", false);
    first = false;
    JINJA_CHECK(append_repr(render, out, key, depth));
    out.append(": ", false);
    JINJA_CHECK(append_repr(render, out, item, depth));
  }
  out.append(mapping.is_namespace ? "}>" : "}", false);
  return {};
}

std::string scalar(const Var& value) {
  switch (value.kind()) {
    case Var::Kind::none:
      return "None";
    case Var::Kind::boolean:
      return value.as_integer() ? "True" : "False";
    case Var::Kind::integer:
      return std::to_string(value.as_integer());
    case Var::Kind::real:
      return real_repr(value.as_real());
    case Var::Kind::callable:
      return "<function " + value.as_callable().name + ">";
    case Var::Kind::loop:
      return "<LoopContext>";
    default:
      return "Undefined";
  }
}

}  // namespace

std::string real_repr(double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  auto [digits, exponent] = shortest_digits(std::fabs(value));
  if (exponent < -4 || exponent >= 16) return sign + scientific(std::move(digits), exponent);
  return sign + positional(std::move(digits), exponent);
}

Result<void> append_repr(Render& render, Text& out, const Var& value, int depth) {
  if (depth > kMaxDepth)
    return fault("a value is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  JINJA_CHECK(render.spend(1));
  JINJA_CHECK(render.heap().check_text(out.size()));
  if (value.is_string()) {
    JINJA_CHECK(render.spend(value.as_text().size() / 8));
    append_string_repr(out, value.as_text());
    return {};
  }
  if (value.is_sequence()) return append_sequence(render, out, value, depth + 1);
  if (value.is_mapping()) return append_mapping(render, out, value.as_mapping(), depth + 1);
  out.append(scalar(value), value.trusted());
  return {};
}

Result<void> append_str(Render& render, Text& out, const Var& value) {
  if (value.is_undefined()) return {};
  if (!value.is_string()) return append_repr(render, out, value);
  JINJA_CHECK(render.spend_bytes(value.as_text().size()));
  JINJA_CHECK(render.heap().check_text(out.size() + value.as_text().size()));
  out.append(value.as_text());
  return {};
}

Result<Text> str(Render& render, const Var& value) {
  Text out;
  JINJA_CHECK(append_str(render, out, value));
  return out;
}

Result<Var> str_var(Render& render, const Var& value) {
  if (value.is_string()) return value;
  JINJA_TRY(text, str(render, value));
  return render.heap().text(std::move(text));
}

}  // namespace troupe::model::jinja
