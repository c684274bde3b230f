#pragma once
#include "troupe/model/gguf/gguf_writer.h"
#include "troupe/model/gguf/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

// Damaged files for the reader's tests: a sound one, and ways to change it.
namespace troupe::model::gguf {

using Bytes = std::vector<std::byte>;

/// A file with every value type, every kind of array, and three tensors.
inline GgufWriter sound_writer() {
  GgufWriter writer;
  writer.add("general.architecture", "llama");
  writer.set_alignment(64);
  writer.add("a.u8", std::uint8_t{200});
  writer.add("a.i8", std::int8_t{-100});
  writer.add("a.u16", std::uint16_t{60000});
  writer.add("a.i16", std::int16_t{-30000});
  writer.add("a.u32", std::uint32_t{4000000000});
  writer.add("a.i32", std::int32_t{-2000000000});
  writer.add("a.u64", std::uint64_t{1} << 63);
  writer.add("a.i64", std::int64_t{INT64_MIN});
  writer.add("a.f32", 0.5f);
  writer.add("a.f64", 1e-300);
  writer.add("a.bool", true);
  writer.add_array<std::string_view>("tokens", {"a", "", "bc"});
  writer.add_array<std::int32_t>("types", {1, -2, 3});
  writer.add_array<float>("scores", {0.25f, -1.5f});
  writer.add_array<bool>("flags", {true, false, true});
  writer.add_array<std::uint64_t>("sizes", {});
  const Bytes data(144, std::byte{7});
  writer.add_tensor("first", WeightType::f32, {3}, std::span(data).first(12));
  writer.add_tensor("second", WeightType::q4_1, {2, 64}, std::span(data).first(80));
  writer.add_tensor("third", WeightType::q4_k, {1, 1, 1, 256}, data);
  return writer;
}

inline Bytes sound_file() {
  return sound_writer().bytes().value();
}

/// Where the bytes of `text` begin in the file.
inline std::size_t position_of(const Bytes& file, std::string_view text) {
  const auto pattern = std::as_bytes(std::span(text));
  const auto found = std::search(file.begin(), file.end(), pattern.begin(), pattern.end());
  EXPECT_NE(found, file.end()) << text;
  return static_cast<std::size_t>(found - file.begin());
}

/// Writes the bytes of `value` at `offset`.
template <class T>
void patch(Bytes& file, std::size_t offset, T value) {
  std::memcpy(file.data() + offset, &value, sizeof(value));
}

/// The bytes as a file of exactly their size in memory of its own, so that a read past its end is
/// seen by the address sanitizer.
struct Parsed {
  explicit Parsed(std::span<const std::byte> file)
      : memory(new std::byte[file.size()]), contents([&] {
          std::ranges::copy(file, memory.get());
          return parse({memory.get(), file.size()});
        }()) {}
  std::unique_ptr<std::byte[]> memory;
  Result<Contents> contents;
};

/// The message of a refusal; a failure of the test when the file is taken.
inline std::string refusal(std::span<const std::byte> file) {
  const Parsed parsed(file);
  if (!parsed.contents) return parsed.contents.error().message();
  ADD_FAILURE() << "the file was taken";
  return "";
}

}  // namespace troupe::model::gguf
