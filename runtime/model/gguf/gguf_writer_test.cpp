#include "troupe/model/gguf/gguf_writer.h"

#include "troupe/model/gguf/hostile_file.h"
#include "troupe/model/testing/test_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe::model::gguf {
namespace {

using ::testing::HasSubstr;

TEST(GgufWriter, WritesTheBytesTheFormatSays) {
  GgufWriter writer;
  writer.add("k", std::uint16_t{0x1234});
  writer.add_tensor("t", WeightType::f16, {1, 2}, Bytes(4, std::byte{5}));
  const auto bytes = writer.bytes().value();
  std::string expected(
      "GGUF\3\0\0\0"
      "\1\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0",
      24);
  expected += std::string(
      "\1\0\0\0\0\0\0\0k"
      "\2\0\0\0"
      "\x34\x12",
      15);
  expected += std::string(
      "\1\0\0\0\0\0\0\0t"
      "\2\0\0\0"
      "\2\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0",
      29);
  expected += std::string(
      "\1\0\0\0"
      "\0\0\0\0\0\0\0\0",
      12);
  expected.resize(96);
  expected += "\5\5\5\5";
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected);
}

TEST(GgufWriter, RefusesNamesThatAreEmptyTooLongOrRepeated) {
  GgufWriter empty_key;
  empty_key.add("", true);
  EXPECT_THAT(empty_key.bytes().error().message(), HasSubstr("key \"\" has 0 bytes"));
  GgufWriter twice;
  twice.add("k", true);
  twice.add("k", false);
  EXPECT_THAT(twice.bytes().error().message(), HasSubstr("key \"k\" was added more than once"));
  GgufWriter long_name;
  long_name.add_tensor(std::string(65, 'n'), WeightType::f32, {1}, Bytes(4));
  EXPECT_THAT(long_name.bytes().error().message(), HasSubstr("65 bytes, expected 1 to 64"));
}

TEST(GgufWriter, RefusesShapesThatDoNotFitTheData) {
  const auto error_of = [](WeightType type, std::vector<std::int64_t> shape, std::size_t bytes) {
    GgufWriter writer;
    writer.add_tensor("t", type, std::move(shape), Bytes(bytes));
    return writer.bytes().error().message();
  };
  EXPECT_THAT(error_of(WeightType::f32, {2}, 4), HasSubstr("do not fit"));
  EXPECT_THAT(error_of(WeightType::f32, {}, 4), HasSubstr("do not fit"));
  EXPECT_THAT(error_of(WeightType::f32, {0}, 0), HasSubstr("do not fit"));
  EXPECT_THAT(error_of(WeightType::f32, {-1, -1}, 4), HasSubstr("do not fit"));
  EXPECT_THAT(error_of(WeightType::q8_0, {31}, 34), HasSubstr("do not fit"));
  EXPECT_THAT(error_of(WeightType::f32, {1, 1, 1, 1, 1}, 4), HasSubstr("do not fit"));
  EXPECT_THAT(error_of(WeightType::f32, {INT64_MAX, 4}, 4), HasSubstr("do not fit"));
}

TEST(GgufWriter, RefusesAnAlignmentThatReadersWouldRefuse) {
  GgufWriter writer;
  writer.set_alignment(48);
  EXPECT_THAT(writer.bytes().error().message(), HasSubstr("alignment 48"));
}

TEST(GgufWriter, LeavesNothingBehindWhenItCannotWrite) {
  EXPECT_EQ(sound_writer().write("/nowhere/x.gguf").error().code(), ErrorCode::device);
  const testing::TemporaryFile file("written.gguf");
  ASSERT_TRUE(sound_writer().write(file.path()));
  EXPECT_EQ(std::filesystem::file_size(file.path()), sound_file().size());
  EXPECT_FALSE(std::filesystem::exists(file.path().string() + ".partial"));
}

}  // namespace
}  // namespace troupe::model::gguf
