// Writing TOML values. Done by hand because toml++ reorders tables and breaks lines.
#include "troupe/pipeline/toml_source.h"

#include <array>
#include <charconv>
#include <cmath>

namespace troupe::pipeline {
namespace {

std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      out += std::string("\\u00") + kHex[byte >> 4] + kHex[byte & 15];
    else
      out += c;
  }
  return out + '"';
}

/// The shortest text that reads back as the same number, and as a float.
std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string array_text(const Value::Array& array) {
  std::string text = "[";
  for (const auto& item : array)
    text += (text.size() > 1 ? ", " : "") + to_toml(item);
  return text + "]";
}

std::string table_text(const Value::Object& object) {
  if (object.empty()) return "{}";
  std::string text = "{ ";
  for (const auto& [key, value] : object)
    text += (text.size() > 2 ? ", " : "") + toml_key(key) + " = " + to_toml(value);
  return text + " }";
}

}  // namespace

std::string toml_key(std::string_view key) {
  const auto bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  for (const char c : key)
    if (!bare(c)) return quoted(key);
  return key.empty() ? "\"\"" : std::string(key);
}

std::string to_toml(const Value& value) {
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (value.is_int()) return std::to_string(value.as_int());
  if (value.is_double()) return float_text(value.as_double());
  if (value.is_array()) return array_text(value.as_array());
  if (value.is_object()) return table_text(value.as_object());
  return quoted(value.is_string() ? value.as_string() : std::string());
}

}  // namespace troupe::pipeline
