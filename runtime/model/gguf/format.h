#pragma once
#include "troupe/model/model_file.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// The numbers of the GGUF format, for its reader and its writer. Source: docs/gguf.md of the ggml
// project.
namespace troupe::model::gguf {

static_assert(std::endian::native == std::endian::little,
              "GGUF files are little-endian and are read in place");

inline constexpr std::string_view kMagic = "GGUF";
inline constexpr std::string_view kAlignmentKey = "general.alignment";
inline constexpr std::uint64_t kDefaultAlignment = 32;
inline constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 24;
inline constexpr std::size_t kMaxKeyBytes = 65535;
inline constexpr std::size_t kMaxTensorNameBytes = 64;
inline constexpr std::uint32_t kMaxDimensions = 4;

/// The type of a metadata value, as the file writes it.
enum class ValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

/// The smallest number of bytes a value of the type takes: its size, or the length field of a
/// string; 0 for a number that names no type.
std::size_t smallest_size(ValueType type);

/// The number a tensor type has in the file.
std::uint32_t tensor_type_id(WeightType type);
/// nullopt for a type that is unknown or not read by this build.
std::optional<WeightType> tensor_type_from_id(std::uint32_t id);
/// The format's own name of any type it knows, such as "Q2_K"; empty for an unknown number.
std::string_view tensor_type_name(std::uint32_t id);

/// Whether the format allows this alignment of the data: a power of two from 8 to kMaxAlignment.
constexpr bool is_valid_alignment(std::uint64_t alignment) {
  return std::has_single_bit(alignment) && alignment >= 8 && alignment <= kMaxAlignment;
}

/// `offset` rounded up to the alignment. Pre: the alignment is valid, and the offset not within it
/// of 2^64.
constexpr std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

/// Calls `f` with a zero of the C++ type that a numeric value type stands for. Pre: it is numeric.
template <class F>
auto with_number_type(ValueType type, F&& f) {
  switch (type) {
    case ValueType::u8:
      return f(std::uint8_t{});
    case ValueType::i8:
      return f(std::int8_t{});
    case ValueType::u16:
      return f(std::uint16_t{});
    case ValueType::i16:
      return f(std::int16_t{});
    case ValueType::u32:
      return f(std::uint32_t{});
    case ValueType::i32:
      return f(std::int32_t{});
    case ValueType::f32:
      return f(float{});
    case ValueType::u64:
      return f(std::uint64_t{});
    case ValueType::i64:
      return f(std::int64_t{});
    default:
      return f(double{});
  }
}

}  // namespace troupe::model::gguf
