#include "troupe/model/gguf/tensor_directory.h"

#include "troupe/model/gguf/hostile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace troupe::model::gguf {
namespace {

using ::testing::HasSubstr;

// Byte positions in one_tensor(), counted from its name: after it come the number of dimensions,
// two dimensions, the type and the data offset.
constexpr std::size_t kRank = 4;
constexpr std::size_t kInner = kRank + 4;
constexpr std::size_t kOuter = kInner + 8;
constexpr std::size_t kType = kOuter + 8;
constexpr std::size_t kOffset = kType + 4;

/// A file whose only tensor is "blk0", f32 [2, 8].
Bytes one_tensor() {
  GgufWriter writer;
  writer.add_tensor("blk0", WeightType::f32, {2, 8}, Bytes(64));
  return writer.bytes().value();
}

/// The refusal of one_tensor() with `value` written at `field` of its entry.
template <class T>
std::string refusal_with(std::size_t field, T value) {
  auto file = one_tensor();
  patch(file, position_of(file, "blk0") + field, value);
  return refusal(file);
}

TEST(GgufTensors, D40ComparesTheCountWithTheFile) {
  for (const int bit : {31, 32, 61, 63}) {
    auto file = one_tensor();
    patch(file, 8, std::uint64_t{1} << bit);
    EXPECT_THAT(refusal(file), HasSubstr("tensor count is"));
  }
  auto file = one_tensor();
  patch(file, 8, ~std::uint64_t{0});
  EXPECT_THAT(refusal(file), HasSubstr("tensor count is 18446744073709551615"));
}

TEST(GgufTensors, D41RefusesProductsThatWrapAround) {
  // Each product of dimensions or bytes is small modulo 2^64 or 2^63.
  const std::pair<std::uint64_t, std::uint64_t> wrapping[] = {
      {std::uint64_t{1} << 32, std::uint64_t{1} << 32},
      {(std::uint64_t{1} << 62) + 4, 4},
      {std::uint64_t{1} << 62, 4},
      {8, std::uint64_t{1} << 60},
      {(std::uint64_t{1} << 62) + 4, 1},
      {INT64_MAX, INT64_MAX}};
  for (const auto& [inner, outer] : wrapping) {
    auto file = one_tensor();
    const auto name = position_of(file, "blk0");
    patch(file, name + kInner, inner);
    patch(file, name + kOuter, outer);
    EXPECT_THAT(refusal(file), HasSubstr("tensor \"blk0\"")) << inner << " x " << outer;
    EXPECT_THAT(refusal(file), HasSubstr("beyond 2^63-1"));
  }
}

TEST(GgufTensors, D41RefusesDimensionsBeyondSigned64Bits) {
  for (const std::uint64_t dimension : {std::uint64_t{1} << 63, ~std::uint64_t{0}})
    EXPECT_THAT(refusal_with(kInner, dimension), HasSubstr("dimension 0"));
}

TEST(GgufTensors, D41RefusesOffsetsPastTheEndOrWrapping) {
  for (const std::uint64_t offset : {std::uint64_t{32}, std::uint64_t{64}, std::uint64_t{1} << 40,
                                     ~std::uint64_t{0} - 31, ~std::uint64_t{0} - 63}) {
    const auto message = refusal_with(kOffset, offset);
    EXPECT_THAT(message, HasSubstr("tensor \"blk0\" (entry at byte 24)"));
    EXPECT_THAT(message, HasSubstr("data offset " + std::to_string(offset)));
    EXPECT_THAT(message, HasSubstr("past the file"));
  }
}

TEST(GgufTensors, D41RefusesDataThatIsCutInHalf) {
  auto file = one_tensor();
  file.resize(file.size() - 32);
  EXPECT_THAT(refusal(file), HasSubstr("its 64 bytes at data offset 0 end past the file"));
}

TEST(GgufTensors, RefusesMisalignedOffsets) {
  EXPECT_THAT(refusal_with(kOffset, std::uint64_t{4}), HasSubstr("a multiple of the alignment 32"));
}

TEST(GgufTensors, D42RefusesZeroDimensions) {
  EXPECT_THAT(refusal_with(kInner, std::uint64_t{0}), HasSubstr("dimension 0 at byte 40 is 0"));
  EXPECT_THAT(refusal_with(kOuter, std::uint64_t{0}), HasSubstr("dimension 1 at byte 48 is 0"));
  EXPECT_THAT(refusal_with(kRank, std::uint32_t{0}),
              HasSubstr("number of dimensions at byte 36 is 0"));
  EXPECT_THAT(refusal_with(kRank, std::uint32_t{5}), HasSubstr("is 5, expected 1 to 4"));
  EXPECT_THAT(refusal_with(kRank, ~std::uint32_t{0}), HasSubstr("expected 1 to 4"));
}

TEST(GgufTensors, D42TakesNamesOf64BytesAndRefuses65) {
  GgufWriter writer;
  writer.add_tensor(std::string(64, 'n'), WeightType::f32, {1}, Bytes(4));
  auto file = writer.bytes().value();
  EXPECT_TRUE(Parsed(file).contents);
  patch(file, 24, std::uint64_t{65});
  EXPECT_THAT(refusal(file), HasSubstr("has 65 bytes, expected 1 to 64"));
  patch(file, 24, std::uint64_t{0});
  EXPECT_THAT(refusal(file), HasSubstr("has 0 bytes, expected 1 to 64"));
}

TEST(GgufTensors, NamesTensorTypesThatThisBuildDoesNotRead) {
  EXPECT_THAT(refusal_with(kType, std::uint32_t{10}), HasSubstr("is Q2_K; this build reads F32"));
  EXPECT_THAT(refusal_with(kType, std::uint32_t{39}), HasSubstr("MXFP4"));
  EXPECT_THAT(refusal_with(kType, std::uint32_t{4}), HasSubstr("which the format does not have"));
  EXPECT_THAT(refusal_with(kType, ~std::uint32_t{0}), HasSubstr("which the format does not have"));
}

TEST(GgufTensors, RefusesRowsThatAreNoWholeNumberOfBlocks) {
  EXPECT_THAT(refusal_with(kType, tensor_type_id(WeightType::q8_0)),
              HasSubstr("its rows have 8 elements, expected a multiple of 32 for type q8_0"));
}

TEST(GgufTensors, RefusesTensorsThatShareBytes) {
  GgufWriter writer;
  writer.add_tensor("one", WeightType::f32, {16}, Bytes(64));
  writer.add_tensor("two", WeightType::f32, {8}, Bytes(32));
  auto file = writer.bytes().value();
  patch(file, position_of(file, "two") + 3 + 4 + 8 + 4, std::uint64_t{32});
  EXPECT_THAT(refusal(file), HasSubstr("tensor \"two\""));
  EXPECT_THAT(refusal(file), HasSubstr("overlaps that of tensor \"one\" at offset 0"));
}

TEST(GgufTensors, TakesTensorsInAnyOrderOfTheirData) {
  GgufWriter writer;
  writer.add_tensor("one", WeightType::f32, {8}, Bytes(32, std::byte{1}));
  writer.add_tensor("two", WeightType::f32, {8}, Bytes(32, std::byte{2}));
  auto file = writer.bytes().value();
  patch(file, position_of(file, "one") + 3 + 4 + 8 + 4, std::uint64_t{32});
  patch(file, position_of(file, "two") + 3 + 4 + 8 + 4, std::uint64_t{0});
  const Parsed parsed(file);
  ASSERT_TRUE(parsed.contents);
  EXPECT_EQ(parsed.contents->tensors[0].data[0], std::byte{2});
}

}  // namespace
}  // namespace troupe::model::gguf
