#include "troupe/core/field_reader.h"

#include "troupe/core/json.h"
#include "troupe/core/nearest_name.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {
namespace {

/// A value as a message shows it: short, and never more than a line.
std::string shown(const Value& value) {
  constexpr std::size_t kMost = 40;
  if (value.is_array() || value.is_object()) return "an " + std::string(value.type_name());
  auto text = to_json(value);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

/// The whole number a JSON number stands for, if it is one.
std::optional<std::int64_t> whole_number(const Value& value) {
  if (value.is_int()) return value.as_int();
  if (!value.is_double()) return std::nullopt;
  const double number = value.as_double();
  constexpr double kExact = 9007199254740992.0;  // beyond 2^53 a double is no longer every integer
  if (std::trunc(number) != number || std::abs(number) > kExact) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string range_text(std::int64_t least, std::int64_t most) {
  if (most == std::numeric_limits<std::int64_t>::max())
    return "an integer of at least " + std::to_string(least);
  return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

FieldReader::FieldReader(const Value& object) : object_(object) {
  if (!object.is_object())
    fault_ =
        Error(ErrorCode::invalid_argument, "found " + shown(object) + "; expected a JSON object");
}

const Value* FieldReader::any(std::string_view name) {
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
  if (fault_) return nullptr;
  const auto* value = object_.find(name);
  return value && !value->is_null() ? value : nullptr;
}

void FieldReader::one_name(std::string_view name, std::string_view other) {
  if (!any(name) || !any(other)) return;
  refuse(Error(ErrorCode::invalid_argument,
               "found both '" + std::string(name) + "' and '" + std::string(other) +
                   "', two names for one field; expected one of them"));
}

void FieldReader::refuse(std::string_view name, std::string_view expected, const Value& found) {
  refuse(Error(ErrorCode::invalid_argument, std::string(name) + ": found " + shown(found) +
                                                "; expected " + std::string(expected)));
}

void FieldReader::refuse(Error error) {
  if (!fault_) fault_ = std::move(error);
}

void FieldReader::text(std::string_view name, std::string& target) {
  const auto* value = any(name);
  if (!value) return;
  if (!value->is_string()) return refuse(name, "a string", *value);
  target = value->as_string();
}

void FieldReader::boolean(std::string_view name, bool& target) {
  const auto* value = any(name);
  if (!value) return;
  if (!value->is_bool()) return refuse(name, "true or false", *value);
  target = value->as_bool();
}

std::optional<std::int64_t> FieldReader::integer_value(std::string_view name, std::int64_t least,
                                                       std::int64_t most) {
  const auto* value = any(name);
  if (!value) return std::nullopt;
  const auto number = whole_number(*value);
  if (number && *number >= least && *number <= most) return number;
  refuse(name, range_text(least, most), *value);
  return std::nullopt;
}

void FieldReader::number(std::string_view name, float& target) {
  const auto* value = any(name);
  if (!value) return;
  if (!value->is_number() || !(std::abs(value->as_double()) <= std::numeric_limits<float>::max()))
    return refuse(name, "a number", *value);
  target = static_cast<float>(value->as_double());
}

void FieldReader::texts(std::string_view name, std::vector<std::string>& target) {
  const auto* value = any(name);
  if (!value) return;
  if (value->is_string()) {
    target = {value->as_string()};
    return;
  }
  if (!value->is_array()) return refuse(name, "a string or an array of strings", *value);
  target.clear();
  for (const auto& item : value->as_array()) {
    if (!item.is_string()) return refuse(name, "strings in the array", item);
    target.push_back(item.as_string());
  }
}

void FieldReader::integers(std::string_view name, std::vector<std::int32_t>& target,
                           std::int64_t least, std::int64_t most) {
  const auto* value = any(name);
  if (!value) return;
  if (!value->is_array()) return refuse(name, "an array of integers", *value);
  target.clear();
  for (const auto& item : value->as_array()) {
    const auto number = whole_number(item);
    if (!number || *number < least || *number > most)
      return refuse(name, range_text(least, most) + " at each place", item);
    target.push_back(static_cast<std::int32_t>(*number));
  }
}

Result<void> FieldReader::finish() const {
  if (fault_) return fail(*fault_);
  for (const auto& [name, value] : object_.as_object())
    if (std::find(names_.begin(), names_.end(), name) == names_.end())
      return fail(ErrorCode::invalid_argument,
                  "unknown field '" + name.substr(0, 64) + "'" + suggest(name, names_));
  return {};
}

}  // namespace troupe
