#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

/// A JSON-like value: what requests carry for chat messages, tools and template arguments, and what
/// an operator's parameters are made of. Objects keep the order in which their keys were written.
class Value {
 public:
  using Array = std::vector<Value>;
  using Object = std::vector<std::pair<std::string, Value>>;

  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(int value) : data_(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_double() const { return std::holds_alternative<double>(data_); }
  bool is_number() const { return is_int() || is_double(); }
  bool is_string() const { return std::holds_alternative<std::string>(data_); }
  bool is_array() const { return std::holds_alternative<Array>(data_); }
  bool is_object() const { return std::holds_alternative<Object>(data_); }

  // Pre: the value is of that type.
  bool as_bool() const { return std::get<bool>(data_); }
  std::int64_t as_int() const { return std::get<std::int64_t>(data_); }
  /// Also of an integer.
  double as_double() const {
    return is_int() ? static_cast<double>(as_int()) : std::get<double>(data_);
  }
  const std::string& as_string() const { return std::get<std::string>(data_); }
  const Array& as_array() const { return std::get<Array>(data_); }
  Array& as_array() { return std::get<Array>(data_); }
  const Object& as_object() const { return std::get<Object>(data_); }
  Object& as_object() { return std::get<Object>(data_); }

  /// The member `key` of an object; nullptr when it is absent or this is no object.
  const Value* find(std::string_view key) const {
    if (!is_object()) return nullptr;
    for (const auto& [name, value] : as_object())
      if (name == key) return &value;
    return nullptr;
  }

  /// Puts `value` at `key`, in place of an earlier one. Pre: this is an object or null.
  void set(std::string_view key, Value value) {
    if (is_null()) data_ = Object{};
    for (auto& [name, old] : as_object())
      if (name == key) {
        old = std::move(value);
        return;
      }
    as_object().emplace_back(std::string(key), std::move(value));
  }

  /// "null", "boolean", "integer", "float", "string", "array" or "object": for messages.
  std::string_view type_name() const {
    constexpr std::string_view names[] = {"null",   "boolean", "integer", "float",
                                          "string", "array",   "object"};
    return names[data_.index()];
  }

  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data_;
};

}  // namespace troupe
