#include "troupe/model/key_reader.h"

#include "troupe/model/number_text.h"
#include "troupe/model/quote.h"

#include <algorithm>

namespace troupe::model {

std::string KeyReader::ask(std::string_view name) {
  auto key = prefix_ + std::string(name);
  asked_.push_back(key);
  return key;
}

bool KeyReader::read(std::string_view name, IntRange range, std::int64_t& field) {
  const auto key = ask(name);
  if (error_) return true;
  const auto value = file_.find_int(key);
  if (!value) {
    error_ = value.error();
    return true;
  }
  if (!*value) return false;
  if (**value < range.least || **value > range.most)
    error_ = Error(ErrorCode::invalid_argument, key + " = " + std::to_string(**value) +
                                                    ": expected " + std::to_string(range.least) +
                                                    " to " + std::to_string(range.most));
  else
    field = **value;
  return true;
}

bool KeyReader::read(std::string_view name, DoubleRange range, double& field) {
  const auto key = ask(name);
  if (error_) return true;
  const auto value = file_.find_double(key);
  if (!value) {
    error_ = value.error();
    return true;
  }
  if (!*value) return false;
  // Written so that NaN fails.
  if (!(**value > range.above && **value <= range.most))
    error_ = Error(ErrorCode::invalid_argument,
                   key + " = " + number_text(**value) + ": expected more than " +
                       number_text(range.above) + " and at most " + number_text(range.most));
  else
    field = **value;
  return true;
}

void KeyReader::require(bool found, std::string_view name) {
  if (!found && !error_)
    error_ = Error(ErrorCode::not_found,
                   "the file has no metadata key " + quote(prefix_ + std::string(name)));
}

void KeyReader::required(std::string_view name, IntRange range, std::int64_t& field) {
  require(read(name, range, field), name);
}

void KeyReader::required(std::string_view name, DoubleRange range, double& field) {
  require(read(name, range, field), name);
}

void KeyReader::optional(std::string_view name, IntRange range, std::int64_t& field) {
  read(name, range, field);
}

void KeyReader::optional(std::string_view name, DoubleRange range, double& field) {
  read(name, range, field);
}

void KeyReader::optional(std::string_view name, std::string_view& field) {
  const auto key = ask(name);
  if (error_) return;
  const auto value = file_.find_string(key);
  if (!value)
    error_ = value.error();
  else if (*value)
    field = **value;
}

std::vector<std::string> KeyReader::unread() const {
  std::vector<std::string> keys;
  for (const auto key : file_.metadata_keys())
    if (key.starts_with(prefix_) && std::ranges::find(asked_, key) == asked_.end())
      keys.emplace_back(key);
  return keys;
}

}  // namespace troupe::model
