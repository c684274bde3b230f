#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace troupe::model::gguf {

/// Reads the fields of a file one after another and never past its end. Each read names its field,
/// so that the error of a cut file does.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Bytes from the start of the file.
  std::uint64_t offset() const { return offset_; }
  std::uint64_t left() const { return bytes_.size() - offset_; }

  /// The next sizeof(T) bytes as a number. Errors: invalid_argument when the file ends within it.
  template <class T>
  Result<T> read(std::string_view field) {
    if (left() < sizeof(T)) return ends_within(field, sizeof(T));
    return take<T>();
  }

  /// As read, unchecked. Pre: left() >= sizeof(T).
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }

  /// A length of 64 bits and that many bytes, as a view into the file.
  /// Errors: invalid_argument when the file ends within it.
  Result<std::string_view> read_string(std::string_view field);

  /// "at byte N", for messages.
  std::string place() const { return "at byte " + std::to_string(offset_); }

 private:
  tl::unexpected<Error> ends_within(std::string_view field, std::uint64_t needed) const;

  std::span<const std::byte> bytes_;
  std::uint64_t offset_ = 0;
};

}  // namespace troupe::model::gguf
