#include "troupe/model/gguf/reader.h"

#include "troupe/model/gguf/hostile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe::model::gguf {
namespace {

using ::testing::HasSubstr;

TEST(GgufReader, ReadsEveryValueTypeInOrder) {
  const Parsed parsed(sound_file());
  ASSERT_TRUE(parsed.contents) << parsed.contents.error().message();
  const auto& metadata = parsed.contents->metadata;
  const std::vector<MetadataValue> expected = {std::string_view("llama"),
                                               std::int64_t{64},
                                               std::int64_t{200},
                                               std::int64_t{-100},
                                               std::int64_t{60000},
                                               std::int64_t{-30000},
                                               std::int64_t{4000000000},
                                               std::int64_t{-2000000000},
                                               std::uint64_t{1} << 63,
                                               std::int64_t{INT64_MIN},
                                               0.5,
                                               1e-300,
                                               true,
                                               std::vector<std::string_view>{"a", "", "bc"},
                                               std::vector<std::int64_t>{1, -2, 3},
                                               std::vector<double>{0.25, -1.5},
                                               std::vector<bool>{true, false, true},
                                               std::vector<std::int64_t>{}};
  ASSERT_EQ(metadata.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(metadata[i].value, expected[i]) << metadata[i].key;
  EXPECT_EQ(metadata[2].key, "a.u8");
}

TEST(GgufReader, ReadsTensorsOutermostDimensionFirstWithTheirBytes) {
  const auto file = sound_file();
  const Parsed parsed(file);
  const auto& tensors = parsed.contents->tensors;
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[1].name, "second");
  EXPECT_EQ(tensors[1].type, WeightType::q4_1);
  EXPECT_EQ(tensors[1].shape, (std::vector<std::int64_t>{2, 64}));
  EXPECT_EQ(tensors[1].data.size(), 80u);
  EXPECT_EQ(tensors[2].shape, (std::vector<std::int64_t>{1, 1, 1, 256}));
  EXPECT_EQ(tensors[2].data.data() + tensors[2].data.size(), parsed.memory.get() + file.size());
  for (const auto& tensor : tensors)
    for (const auto byte : tensor.data)
      ASSERT_EQ(byte, std::byte{7});
}

TEST(GgufReader, TakesVersionTwoAsVersionThree) {
  GgufWriter writer(2);
  writer.add("key", std::uint32_t{1});
  EXPECT_TRUE(Parsed(writer.bytes().value()).contents);
}

TEST(GgufReader, RefusesOtherVersionsAndByteOrders) {
  auto file = sound_file();
  patch(file, 4, std::uint32_t{1});
  EXPECT_THAT(refusal(file), HasSubstr("GGUF version 1"));
  patch(file, 4, std::uint32_t{4});
  EXPECT_THAT(refusal(file), HasSubstr("GGUF version 4"));
  patch(file, 4, std::uint32_t{0x03000000});
  EXPECT_THAT(refusal(file), HasSubstr("big-endian"));
  EXPECT_EQ(Parsed(file).contents.error().code(), ErrorCode::unsupported);
}

TEST(GgufReader, RefusesWhatIsNoGgufFile) {
  EXPECT_THAT(refusal({}), HasSubstr("GGUF"));
  EXPECT_THAT(refusal(std::as_bytes(std::span(std::string_view("GGU")))), HasSubstr("GGUF"));
  EXPECT_THAT(refusal(std::as_bytes(std::span(std::string_view("{\"a\":1}")))), HasSubstr("GGUF"));
}

TEST(GgufReader, TakesAFileWithoutTensorsOrMetadata) {
  const Parsed parsed(GgufWriter().bytes().value());
  ASSERT_TRUE(parsed.contents);
  EXPECT_TRUE(parsed.contents->tensors.empty());
}

TEST(GgufReader, D42RefusesAKeyThatStandsTwice) {
  auto file = sound_file();
  patch(file, position_of(file, "a.i8") + 2, 'u');
  EXPECT_THAT(refusal(file), HasSubstr("key \"a.u8\" stands more than once"));
}

TEST(GgufReader, D42RefusesTwoTensorsOfOneName) {
  GgufWriter writer;
  const Bytes data(64);
  writer.add_tensor("w.a", WeightType::f32, {16}, data);
  writer.add_tensor("w.b", WeightType::f32, {16}, data);
  auto file = writer.bytes().value();
  patch(file, position_of(file, "w.b") + 2, 'a');
  EXPECT_THAT(refusal(file), HasSubstr("tensor \"w.a\" stands more than once"));
}

TEST(GgufReader, D42RefusesAlignmentsThatAreNoPowerOfTwoInRange) {
  const auto sound = sound_file();
  const auto at = position_of(sound, kAlignmentKey) + kAlignmentKey.size() + 4;
  for (const std::uint32_t alignment : {0u, 3u, 4u, 48u, 0x80000000u, 0xffffffffu}) {
    auto file = sound;
    patch(file, at, alignment);
    EXPECT_THAT(refusal(file), HasSubstr("\"general.alignment\" is " + std::to_string(alignment)));
  }
}

TEST(GgufReader, D42RefusesAlignmentsOfOtherTypes) {
  GgufWriter text;
  text.add(kAlignmentKey, "32");
  EXPECT_THAT(refusal(text.bytes().value()), HasSubstr("is no integer"));
  GgufWriter number;
  number.add(kAlignmentKey, 32.0f);
  EXPECT_THAT(refusal(number.bytes().value()), HasSubstr("is no integer"));
}

TEST(GgufReader, AppliesAlignmentToTheDataOfItsTensors) {
  for (const std::uint32_t alignment : {8u, 32u, 4096u}) {
    GgufWriter writer;
    writer.set_alignment(alignment);
    const Bytes data(4, std::byte{9});
    writer.add_tensor("a", WeightType::f32, {1}, data);
    writer.add_tensor("b", WeightType::f32, {1}, data);
    const Parsed parsed(writer.bytes().value());
    ASSERT_TRUE(parsed.contents);
    const auto& tensors = parsed.contents->tensors;
    EXPECT_EQ(tensors[1].data.data() - tensors[0].data.data(), alignment);
    EXPECT_EQ(tensors[1].data[3], std::byte{9});
  }
}

}  // namespace
}  // namespace troupe::model::gguf
