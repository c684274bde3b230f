#include "plugins/executor/transformer/weight_source.h"

#include "troupe/device/thread_team.h"
#include "troupe/model/dequantize.h"
#include "troupe/model/quantize.h"
#include "troupe/model/weight_type.h"

#include <gtest/gtest.h>

#include <random>

namespace troupe::transformer {
namespace {

TEST(WeightSource, PackingKeepsEveryWeightOfEveryTypeExactly) {
  constexpr std::int64_t kRows = 19, kColumns = 512;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  ThreadTeam team(2);
  using enum model::WeightType;
  for (const auto type : {f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, q4_k, q5_k, q6_k}) {
    const auto stride = model::row_bytes(type, kColumns);
    std::vector<std::byte> bytes(static_cast<std::size_t>(kRows * stride));
    std::vector<float> row(kColumns), expected(kColumns);
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (float& value : row)
        value = normal(random);
      model::quantize_row(type, row.data(), bytes.data() + i * stride, kColumns);
    }
    const model::TensorInfo tensor{"w", type, {kRows, kColumns}, bytes};
    const auto packed = kernels::PackedMatrix::pack(weight_source(tensor), team);
    ASSERT_TRUE(packed) << packed.error().message();
    for (std::int64_t i = 0; i < kRows; ++i) {
      model::dequantize_row(type, bytes.data() + i * stride, expected.data(), kColumns);
      for (std::int64_t j = 0; j < kColumns; ++j)
        ASSERT_EQ(packed->weight(i, j), expected[static_cast<std::size_t>(j)])
            << to_string(type) << " " << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace troupe::transformer
