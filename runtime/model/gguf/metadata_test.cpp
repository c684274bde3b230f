#include "troupe/model/gguf/metadata.h"

#include "troupe/model/gguf/hostile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe::model::gguf {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kHostileCounts[] = {std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                            std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 1,
                                            std::uint64_t{1} << 63, ~std::uint64_t{0} - 7,
                                            ~std::uint64_t{0}};

/// A file whose only key "k" has `value` as its bytes from the value type on.
Bytes file_with_value(const Bytes& value) {
  GgufWriter writer;
  writer.add("k", std::uint8_t{0});
  auto file = writer.bytes().value();
  file.resize(file.size() - 5);
  file.insert(file.end(), value.begin(), value.end());
  return file;
}

template <class... Parts>
Bytes bytes_of(Parts... parts) {
  Bytes out((sizeof(Parts) + ...));
  std::size_t offset = 0;
  ((std::memcpy(out.data() + offset, &parts, sizeof(parts)), offset += sizeof(parts)), ...);
  return out;
}

TEST(GgufMetadata, D40ComparesTheCountOfKeysWithTheFile) {
  for (const auto count : kHostileCounts) {
    auto file = sound_file();
    patch(file, 16, count);
    EXPECT_THAT(refusal(file), HasSubstr("metadata count is " + std::to_string(count)));
  }
}

TEST(GgufMetadata, D40ComparesTheLengthOfAKeyWithTheFile) {
  for (const auto count : kHostileCounts) {
    auto file = sound_file();
    patch(file, 24, count);
    EXPECT_THAT(refusal(file),
                HasSubstr("key at byte 24 needs " + std::to_string(count) + " bytes"));
  }
}

TEST(GgufMetadata, D40ComparesTheLengthOfAStringWithTheFile) {
  for (const auto count : kHostileCounts)
    EXPECT_THAT(refusal(file_with_value(bytes_of(std::uint32_t{8}, count, 'x'))),
                HasSubstr("key \"k\": value at byte 37 needs " + std::to_string(count)));
}

TEST(GgufMetadata, D40ComparesTheLengthOfAnArrayWithTheFile) {
  for (const std::uint32_t type : {0u, 4u, 6u, 7u, 8u, 10u, 12u})
    for (const auto count : kHostileCounts)
      EXPECT_THAT(
          refusal(file_with_value(bytes_of(std::uint32_t{9}, type, count, std::uint64_t{1}))),
          HasSubstr("array length at byte 41 is " + std::to_string(count)));
}

TEST(GgufMetadata, D40LimitsArraysByTheirTotalLength) {
  // Enough bytes for the count, which is still refused.
  auto value = bytes_of(std::uint32_t{9}, std::uint32_t{0}, kMaxArrayElements + 1);
  value.resize(value.size() + kMaxArrayElements + 1);
  EXPECT_THAT(refusal(file_with_value(value)), HasSubstr("array length"));
}

TEST(GgufMetadata, D42RefusesAnEmptyKey) {
  auto file = sound_file();
  patch(file, 24, std::uint64_t{0});
  EXPECT_THAT(refusal(file), HasSubstr("metadata entry 0: the key at byte 24 is empty"));
}

TEST(GgufMetadata, D42RefusesAKeyOfMoreThan65535Bytes) {
  GgufWriter writer;
  writer.add(std::string(65535, 'k'), true);
  EXPECT_TRUE(Parsed(writer.bytes().value()).contents);
  Bytes file = writer.bytes().value();
  patch(file, 24, std::uint64_t{65536});
  file.push_back(std::byte{0});
  EXPECT_THAT(refusal(file), HasSubstr("65536 bytes, expected at most 65535"));
}

TEST(GgufMetadata, D42RefusesUnknownValueTypes) {
  for (const std::uint32_t type : {13u, 255u, 0xffffffffu})
    EXPECT_THAT(refusal(file_with_value(bytes_of(type, std::uint64_t{0}))),
                HasSubstr("key \"k\": value type at byte 33 is " + std::to_string(type)));
}

TEST(GgufMetadata, D42RefusesArraysOfArraysHoweverDeep) {
  for (const int depth : {2, 3, 1000, 100000}) {
    auto value = bytes_of(std::uint32_t{9});
    for (int i = 1; i < depth; ++i) {
      const auto inner = bytes_of(std::uint32_t{9}, std::uint64_t{1});
      value.insert(value.end(), inner.begin(), inner.end());
    }
    const auto leaf = bytes_of(std::uint32_t{0}, std::uint64_t{1}, std::uint8_t{5});
    value.insert(value.end(), leaf.begin(), leaf.end());
    EXPECT_THAT(refusal(file_with_value(value)), HasSubstr("an array of arrays"));
  }
}

TEST(GgufMetadata, RefusesBooleansThatAreNeitherZeroNorOne) {
  EXPECT_THAT(refusal(file_with_value(bytes_of(std::uint32_t{7}, std::uint8_t{2}))),
              HasSubstr("boolean at byte 37 is 2"));
  EXPECT_THAT(refusal(file_with_value(bytes_of(std::uint32_t{9}, std::uint32_t{7}, std::uint64_t{2},
                                               std::uint8_t{1}, std::uint8_t{255}))),
              HasSubstr("boolean of element 1 is 255"));
}

TEST(GgufMetadata, RefusesUnsignedElementsThatNoSignedIntegerHolds) {
  EXPECT_THAT(refusal(file_with_value(bytes_of(std::uint32_t{9}, std::uint32_t{10},
                                               std::uint64_t{1}, std::uint64_t{1} << 63))),
              HasSubstr("element 0 is 9223372036854775808"));
}

TEST(GgufMetadata, NamesTheStringOfAnArrayThatIsCut) {
  EXPECT_THAT(refusal(file_with_value(bytes_of(std::uint32_t{9}, std::uint32_t{8}, std::uint64_t{2},
                                               std::uint64_t{1}, 'a', std::uint64_t{1}))),
              HasSubstr("key \"k\": element 1: string at byte 58 needs 1 bytes"));
}

TEST(GgufMetadata, QuotesHostileKeysInMessages) {
  GgufWriter writer;
  writer.add("k\n\x1b", std::uint32_t{0});
  auto file = writer.bytes().value();
  patch(file, file.size() - 8, std::uint32_t{99});
  EXPECT_THAT(refusal(file), HasSubstr("key \"k\\x0a\\x1b\""));
}

}  // namespace
}  // namespace troupe::model::gguf
