#include "troupe/model/gguf/metadata.h"

#include "troupe/model/gguf/format.h"
#include "troupe/model/quote.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

namespace troupe::model::gguf {
namespace {

// A key of one byte with its length, a type, and a value of one byte.
constexpr std::uint64_t kSmallestEntry = 8 + 1 + 4 + 1;

template <class T>
bool fits_int64(T value) {
  if constexpr (std::is_same_v<T, std::uint64_t>)
    return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return true;
}

/// Reads the value of one key. Places in messages are relative to that key.
class ValueReader {
 public:
  ValueReader(Cursor& cursor, std::uint64_t& elements_left)
      : cursor_(cursor), elements_left_(elements_left) {}

  Result<MetadataValue> read() {
    const auto type = read_type("value type");
    if (!type) return fail(type.error());
    switch (*type) {
      case ValueType::boolean:
        return read_bool();
      case ValueType::string:
        return read_string();
      case ValueType::array:
        return read_array();
      default:
        return read_number(*type);
    }
  }

 private:
  Result<ValueType> read_type(std::string_view field) {
    const auto place = cursor_.place();
    const auto number = cursor_.read<std::uint32_t>(field);
    if (!number) return fail(number.error());
    const auto type = static_cast<ValueType>(*number);
    if (smallest_size(type) > 0) return type;
    return fail(ErrorCode::invalid_argument, std::string(field) + " " + place + " is " +
                                                 std::to_string(*number) + ", expected 0 to 12");
  }

  Result<MetadataValue> read_number(ValueType type) {
    return with_number_type(type, [this](auto zero) -> Result<MetadataValue> {
      using T = decltype(zero);
      const auto value = cursor_.read<T>("value");
      if (!value) return fail(value.error());
      if constexpr (std::is_floating_point_v<T>) return static_cast<double>(*value);
      if (!fits_int64(*value)) return static_cast<std::uint64_t>(*value);
      return static_cast<std::int64_t>(*value);
    });
  }

  Result<MetadataValue> read_bool() {
    const auto place = cursor_.place();
    const auto byte = cursor_.read<std::uint8_t>("value");
    if (!byte) return fail(byte.error());
    if (*byte > 1) return bad_bool(place, *byte);
    return *byte == 1;
  }

  Result<MetadataValue> read_string() {
    const auto text = cursor_.read_string("value");
    if (!text) return fail(text.error());
    return *text;
  }

  Result<MetadataValue> read_array() {
    const auto type = read_type("element type");
    if (!type) return fail(type.error());
    if (*type == ValueType::array)
      return fail(ErrorCode::unsupported,
                  "an array of arrays " + cursor_.place() +
                      "; only arrays of numbers, booleans and strings are read");
    const auto count = read_count(*type);
    if (!count) return fail(count.error());
    switch (*type) {
      case ValueType::boolean:
        return read_bools(*count);
      case ValueType::string:
        return read_strings(*count);
      default:
        return read_numbers(*type, *count);
    }
  }

  /// The number of elements, known to fit the rest of the file and the limit of all arrays.
  Result<std::uint64_t> read_count(ValueType type) {
    const auto place = cursor_.place();
    const auto count = cursor_.read<std::uint64_t>("array length");
    if (!count) return fail(count.error());
    const auto most = std::min(cursor_.left() / smallest_size(type), elements_left_);
    if (*count > most)
      return fail(ErrorCode::invalid_argument, "array length " + place + " is " +
                                                   std::to_string(*count) + ", but at most " +
                                                   std::to_string(most) + " elements can follow");
    elements_left_ -= *count;
    return *count;
  }

  Result<MetadataValue> read_bools(std::uint64_t count) {
    std::vector<bool> values;
    values.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto byte = cursor_.take<std::uint8_t>();
      if (byte > 1) return bad_bool("of element " + std::to_string(i), byte);
      values.push_back(byte == 1);
    }
    return values;
  }

  Result<MetadataValue> read_strings(std::uint64_t count) {
    std::vector<std::string_view> values;
    values.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto text = cursor_.read_string("string");
      if (!text) return fail_at("element " + std::to_string(i), text.error());
      values.push_back(*text);
    }
    return values;
  }

  Result<MetadataValue> read_numbers(ValueType type, std::uint64_t count) {
    return with_number_type(type, [&](auto zero) -> Result<MetadataValue> {
      using T = decltype(zero);
      std::vector<std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>> values;
      values.reserve(count);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto value = cursor_.take<T>();
        if (!fits_int64(value))
          return fail(ErrorCode::unsupported, "element " + std::to_string(i) + " is " +
                                                  std::to_string(value) +
                                                  ", expected at most 2^63-1");
        values.push_back(value);
      }
      return values;
    });
  }

  static tl::unexpected<Error> bad_bool(const std::string& place, std::uint8_t byte) {
    return fail(ErrorCode::invalid_argument,
                "boolean " + place + " is " + std::to_string(byte) + ", expected 0 or 1");
  }

  Cursor& cursor_;
  std::uint64_t& elements_left_;
};

Result<MetadataEntry> read_entry(Cursor& cursor, std::uint64_t& elements_left) {
  const auto place = cursor.place();
  const auto key = cursor.read_string("key");
  if (!key) return fail(key.error());
  if (key->empty()) return fail(ErrorCode::invalid_argument, "the key " + place + " is empty");
  if (key->size() > kMaxKeyBytes)
    return fail(ErrorCode::invalid_argument,
                "the key " + place + " has " + std::to_string(key->size()) +
                    " bytes, expected at most " + std::to_string(kMaxKeyBytes));
  auto value = ValueReader(cursor, elements_left).read();
  if (!value) return fail_at("key " + quote(*key), value.error());
  return MetadataEntry{*key, std::move(*value)};
}

}  // namespace

Result<std::vector<MetadataEntry>> read_metadata(Cursor& cursor, std::uint64_t count) {
  if (count > cursor.left() / kSmallestEntry)
    return fail(ErrorCode::invalid_argument, "metadata count is " + std::to_string(count) +
                                                 ", but the " + std::to_string(cursor.left()) +
                                                 " bytes left hold no more than " +
                                                 std::to_string(cursor.left() / kSmallestEntry));
  std::vector<MetadataEntry> entries;
  auto elements_left = kMaxArrayElements;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto entry = read_entry(cursor, elements_left);
    if (!entry) return fail_at("metadata entry " + std::to_string(i), entry.error());
    entries.push_back(std::move(*entry));
  }
  return entries;
}

}  // namespace troupe::model::gguf
