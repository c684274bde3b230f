#include "troupe/model/weight_type.h"

#include "troupe/api/check.h"
#include "troupe/model/gguf/format.h"

#include <gtest/gtest.h>

namespace troupe::model {
namespace {

constexpr WeightType kAll[] = {WeightType::f32,  WeightType::f16,  WeightType::bf16,
                               WeightType::q8_0, WeightType::q4_0, WeightType::q4_1,
                               WeightType::q5_0, WeightType::q5_1, WeightType::q4_k,
                               WeightType::q5_k, WeightType::q6_k};

TEST(WeightType, NamesReadBackAndNoOtherTextDoes) {
  for (const auto type : kAll)
    EXPECT_EQ(parse_weight_type(to_string(type)), type);
  EXPECT_EQ(parse_weight_type("Q4_1"), std::nullopt);
  EXPECT_EQ(parse_weight_type(""), std::nullopt);
}

TEST(WeightType, NumbersOfTheFormatReadBack) {
  for (const auto type : kAll)
    EXPECT_EQ(gguf::tensor_type_from_id(gguf::tensor_type_id(type)), type);
  EXPECT_EQ(gguf::tensor_type_name(gguf::tensor_type_id(WeightType::bf16)), "BF16");
  EXPECT_EQ(gguf::tensor_type_name(14), "Q6_K");
  EXPECT_EQ(gguf::tensor_type_name(40), "");
}

TEST(WeightType, RowsTakeTheBytesOfTheirBlocks) {
  EXPECT_EQ(row_bytes(WeightType::f32, 3), 12);
  EXPECT_EQ(row_bytes(WeightType::bf16, 3), 6);
  EXPECT_EQ(row_bytes(WeightType::q4_1, 576), 360);
  EXPECT_EQ(row_bytes(WeightType::q4_k, 256), 144);
  EXPECT_EQ(row_bytes(WeightType::q6_k, 512), 420);
  EXPECT_THROW(row_bytes(WeightType::q6_k, 32), CheckFailure);
  EXPECT_THROW(row_bytes(WeightType::f32, -1), CheckFailure);
}

}  // namespace
}  // namespace troupe::model
