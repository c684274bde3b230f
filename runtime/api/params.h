#pragma once
#include "troupe/api/check.h"
#include "troupe/api/value.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

enum class ParamType : std::uint8_t { boolean, integer, number, text, text_list };

/// One parameter an operator declares. The table of these drives parsing, validation, `troupe
/// inspect` and the reference page.
struct ParamSpec {
  std::string_view name;
  ParamType type = ParamType::text;
  /// The default as a TOML value, such as `0.05`, `"bf16"` or `[]`; empty = the parameter is
  /// required.
  std::string_view default_value;
  std::string_view help;
  std::string_view unit = {};                             // "tokens", "ms", "bytes", ...
  double min = -std::numeric_limits<double>::infinity();  // inclusive; for integer and number
  double max = std::numeric_limits<double>::infinity();   // inclusive
  std::string_view choices = {};  // for text: the values allowed, joined by '|'; empty = any
};

/// The values of an operator's parameters, checked and complete: every declared name is there, with
/// the declared type. Asking for another name or type is a fault of the operator (TROUPE_CHECK).
class Params {
 public:
  Params() = default;
  explicit Params(Value::Object values) : values_(std::move(values)) {}

  bool get_bool(std::string_view name) const { return at(name).as_bool(); }
  std::int64_t get_int(std::string_view name) const { return at(name).as_int(); }
  double get_number(std::string_view name) const { return at(name).as_double(); }
  const std::string& get_text(std::string_view name) const { return at(name).as_string(); }
  std::vector<std::string> get_texts(std::string_view name) const {
    std::vector<std::string> texts;
    for (const auto& item : at(name).as_array())
      texts.push_back(item.as_string());
    return texts;
  }
  const Value::Object& values() const { return values_; }

 private:
  const Value& at(std::string_view name) const {
    for (const auto& [key, value] : values_)
      if (key == name) return value;
    check_failed(("no such parameter: " + std::string(name)).c_str(), __FILE__, __LINE__);
  }

  Value::Object values_;
};

}  // namespace troupe
