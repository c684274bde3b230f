#pragma once
#include "troupe/api/result.h"
#include "troupe/api/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Reads the fields of a JSON object that came from outside. Each call names one field and the
/// values it may have; the first fault is kept and later calls do nothing, so that a reader is a
/// plain list of calls. A field that is absent or null leaves its target as it is.
class FieldReader {
 public:
  /// Pre: `object` outlives the reader. Anything but an object is a fault.
  explicit FieldReader(const Value& object);

  void text(std::string_view name, std::string& target);
  void boolean(std::string_view name, bool& target);
  /// Whole numbers from `least` to `most`; 2.0 is one, 2.5 is not.
  template <class Integer>
  void integer(std::string_view name, Integer& target, std::int64_t least, std::int64_t most) {
    if (const auto value = integer_value(name, least, most)) target = static_cast<Integer>(*value);
  }
  /// Any finite number that a float can hold.
  void number(std::string_view name, float& target);
  /// A string or an array of strings.
  void texts(std::string_view name, std::vector<std::string>& target);
  /// An array of whole numbers from `least` to `most`.
  void integers(std::string_view name, std::vector<std::int32_t>& target, std::int64_t least,
                std::int64_t most);

  /// Two names for one field: both at once are a fault.
  void one_name(std::string_view name, std::string_view other);

  /// The field as it is; nullptr when it is absent or null. For what the other calls do not cover.
  const Value* any(std::string_view name);
  /// A fault of field `name`, unless there is one already.
  void refuse(std::string_view name, std::string_view expected, const Value& found);
  void refuse(Error error);

  /// After all fields were named: the first fault, or the first field that no call named.
  Result<void> finish() const;

 private:
  std::optional<std::int64_t> integer_value(std::string_view name, std::int64_t least,
                                            std::int64_t most);

  const Value& object_;
  std::vector<std::string> names_;
  std::optional<Error> fault_;
};

}  // namespace troupe
