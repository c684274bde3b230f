#pragma once
#include "troupe/api/result.h"
#include "troupe/model/gguf/format.h"
#include "troupe/model/model_file.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace troupe::model::gguf {

/// The value type that stands for a C++ type in the file.
template <class T>
constexpr ValueType value_type_of() {
  if constexpr (std::is_same_v<T, bool>) return ValueType::boolean;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ValueType::u8;
  if constexpr (std::is_same_v<T, std::int8_t>) return ValueType::i8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return ValueType::u16;
  if constexpr (std::is_same_v<T, std::int16_t>) return ValueType::i16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ValueType::u32;
  if constexpr (std::is_same_v<T, std::int32_t>) return ValueType::i32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ValueType::u64;
  if constexpr (std::is_same_v<T, std::int64_t>) return ValueType::i64;
  if constexpr (std::is_same_v<T, float>) return ValueType::f32;
  if constexpr (std::is_same_v<T, double>) return ValueType::f64;
  return ValueType::string;
}

/// Builds a GGUF file in memory: metadata and tensors in the order in which they are added.
/// For tests, and for the models this project makes itself.
class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3) : version_(version) {}

  /// Adds a key with a number, boolean or string; the file gets exactly the type of `value`.
  template <class T>
  void add(std::string_view key, const T& value) {
    begin_entry(key, value_type_of<T>());
    put(metadata_, value);
  }

  /// Adds a key with an array of numbers, booleans or strings.
  template <class T>
  void add_array(std::string_view key, const std::vector<T>& values) {
    begin_entry(key, ValueType::array);
    put(metadata_, static_cast<std::uint32_t>(value_type_of<T>()));
    put(metadata_, static_cast<std::uint64_t>(values.size()));
    for (const auto& value : values)
      put<T>(metadata_, value);
  }

  /// Aligns the tensors' data by `alignment` bytes instead of 32, and says so in the metadata.
  void set_alignment(std::uint32_t alignment);

  /// Adds a tensor. `shape` has the outermost dimension first; `data` is copied.
  void add_tensor(std::string_view name, WeightType type, std::vector<std::int64_t> shape,
                  std::span<const std::byte> data);

  /// The whole file.
  /// Errors: invalid_argument for what no reader would take: an empty or repeated name, a shape
  /// that does not fit its data, an alignment the format does not allow.
  Result<std::vector<std::byte>> bytes() const;

  /// Writes bytes() to `path` in one piece: another process sees the whole file or the one before.
  /// Errors: as bytes; device when the folder cannot be written.
  Result<void> write(const std::filesystem::path& path) const;

 private:
  using Bytes = std::vector<std::byte>;

  struct Tensor {
    std::string name;
    WeightType type;
    std::vector<std::int64_t> shape;
    Bytes data;
  };

  template <class T>
  static void put(Bytes& out, const T& value) {
    if constexpr (value_type_of<T>() == ValueType::string) {
      const std::string_view text(value);
      put(out, static_cast<std::uint64_t>(text.size()));
      append(out, std::as_bytes(std::span(text)));
    } else {
      append(out, std::as_bytes(std::span(&value, 1)));
    }
  }

  static void append(Bytes& out, std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  }

  void begin_entry(std::string_view key, ValueType type);
  Result<void> check() const;

  std::uint32_t version_;
  std::uint32_t alignment_ = kDefaultAlignment;
  std::vector<std::string> keys_;
  Bytes metadata_;
  std::vector<Tensor> tensors_;
};

}  // namespace troupe::model::gguf
