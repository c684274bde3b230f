#include "troupe/model/gguf/cursor.h"

#include <gtest/gtest.h>

#include <array>

namespace troupe::model::gguf {
namespace {

constexpr auto kBytes = [] {
  std::array<std::byte, 12> bytes{};
  bytes[0] = std::byte{2};
  bytes[8] = std::byte{'o'};
  bytes[9] = std::byte{'k'};
  return bytes;
}();

TEST(GgufCursor, ReadsFieldsOneAfterAnother) {
  Cursor cursor(kBytes);
  EXPECT_EQ(cursor.read_string("name").value(), "ok");
  EXPECT_EQ(cursor.offset(), 10u);
  EXPECT_EQ(cursor.read<std::uint16_t>("rest").value(), 0);
  EXPECT_EQ(cursor.left(), 0u);
}

TEST(GgufCursor, NamesTheFieldThatTheEndCuts) {
  Cursor cursor(kBytes);
  ASSERT_TRUE(cursor.read<std::uint64_t>("first"));
  const auto error = cursor.read<std::uint64_t>("second").error();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(
      error.message(),
      "second at byte 8 needs 8 bytes, but the file ends after 4; it is cut short or damaged");
  EXPECT_EQ(cursor.offset(), 8u);
}

TEST(GgufCursor, LeavesItsPlaceWhenAStringIsTooLong) {
  auto bytes = kBytes;
  bytes[7] = std::byte{0x80};
  Cursor cursor(bytes);
  EXPECT_FALSE(cursor.read_string("name"));
  EXPECT_EQ(cursor.offset(), 0u);
}

}  // namespace
}  // namespace troupe::model::gguf
