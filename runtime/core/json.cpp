#include "troupe/core/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe {
namespace {

constexpr std::size_t kMaxDepth = 64;

std::string line_and_column(std::string_view text, std::size_t offset) {
  const auto head = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(head.begin(), head.end(), '\n') + 1;
  const auto last_newline = head.rfind('\n');
  const auto column =
      last_newline == std::string_view::npos ? head.size() : head.size() - last_newline - 1;
  return std::to_string(line) + ":" + std::to_string(column + 1);
}

/// Text of a document as a message repeats it: it may be as long as the document.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80)
    --most;  // not inside a character
  return text.substr(0, most) + "...";
}

/// Builds a Value from the events of nlohmann's parser: no intermediate tree, and a cap on depth.
class ValueBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit ValueBuilder(std::string_view text) : text_(text) {}

  bool null() override { return put(Value()); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override {
    return put(static_cast<std::int64_t>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) return put(static_cast<double>(value));
    return put(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary data is not JSON"); }
  bool start_object(std::size_t) override { return open(Value(Value::Object{})); }
  bool start_array(std::size_t) override { return open(Value(Value::Array{})); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!open_.back().keys.insert(name).second)
      return refuse("the key \"" + shortened(name, 64) + "\" stands twice in one object");
    open_.back().key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::string what = error.what();
    const auto reason = what.rfind(": ");
    message_ = line_and_column(text_, position == 0 ? 0 : position - 1) + ": not valid JSON: " +
               shortened(reason == std::string::npos ? what : what.substr(reason + 2), 300);
    return false;
  }

  Value take() { return std::move(root_); }
  const std::string& message() const { return message_; }

 private:
  struct Open {
    Value value;
    std::string key;
    std::unordered_set<std::string> keys;  // a search through the object would take quadratic time
  };

  bool refuse(std::string reason) {
    message_ = std::move(reason);
    return false;
  }

  bool open(Value value) {
    if (open_.size() >= kMaxDepth)
      return refuse("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    open_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    return put(std::move(value));
  }

  bool put(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto& top = open_.back(); top.value.is_array()) {
      top.value.as_array().push_back(std::move(value));
    } else {
      top.value.as_object().emplace_back(std::move(top.key), std::move(value));
    }
    return true;
  }

  std::string_view text_;
  std::vector<Open> open_;
  Value root_;
  std::string message_;
};

nlohmann::ordered_json to_nlohmann(const Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_double()) {
    if (!std::isfinite(value.as_double())) return nullptr;
    return value.as_double();
  }
  if (value.is_string()) return value.as_string();
  if (value.is_array()) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& item : value.as_array())
      array.push_back(to_nlohmann(item));
    return array;
  }
  if (value.is_object()) {
    auto object = nlohmann::ordered_json::object();
    // Its own look-up is linear; the keys of a Value are unique already.
    auto& members = object.get_ref<nlohmann::ordered_json::object_t&>();
    for (const auto& [key, item] : value.as_object())
      members.push_back({key, to_nlohmann(item)});
    return object;
  }
  return nullptr;
}

}  // namespace

Result<Value> parse_json(std::string_view text) {
  ValueBuilder builder(text);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    return fail(ErrorCode::invalid_argument, builder.message());
  return builder.take();
}

std::string to_json(const Value& value) {
  return to_nlohmann(value).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace troupe
