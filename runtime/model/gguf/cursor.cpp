#include "troupe/model/gguf/cursor.h"

namespace troupe::model::gguf {

Result<std::string_view> Cursor::read_string(std::string_view field) {
  if (left() < sizeof(std::uint64_t)) return ends_within(field, sizeof(std::uint64_t));
  const auto length = take<std::uint64_t>();
  if (length > left()) {
    offset_ -= sizeof(length);
    return ends_within(field, length);
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + offset_, length);
  offset_ += length;
  return text;
}

tl::unexpected<Error> Cursor::ends_within(std::string_view field, std::uint64_t needed) const {
  return fail(ErrorCode::invalid_argument,
              std::string(field) + " " + place() + " needs " + std::to_string(needed) +
                  " bytes, but the file ends after " + std::to_string(left()) +
                  "; it is cut short or damaged");
}

}  // namespace troupe::model::gguf
