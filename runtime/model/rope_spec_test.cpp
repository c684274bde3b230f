#include "troupe/model/rope_spec.h"

#include "troupe/model/testing/memory_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace troupe::model {
namespace {

using ::testing::HasSubstr;
using testing::MemoryModel;

Result<RopeSpec> read(const MemoryModel& model) {
  KeyReader keys(model, "llama");
  return read_rope_spec(model, keys, 8);
}

/// A model with the key or keys of a scaling.
MemoryModel scaled(std::string_view kind, double factor) {
  MemoryModel model;
  if (!kind.empty()) model.set("llama.rope.scaling.type", kind);
  if (factor != 0) model.set("llama.rope.scaling.factor", factor);
  return model;
}

TEST(RopeSpec, WithoutKeysTurnsTheWholeHeadWithTheBaseOfTheFormat) {
  const auto rope = read(MemoryModel()).value();
  EXPECT_EQ(rope.dims, 8);
  EXPECT_EQ(rope.theta, 10000);
  EXPECT_EQ(rope.linear_factor, 1);
  EXPECT_TRUE(rope.divisors.empty());
}

TEST(RopeSpec, ReadsDimensionsAndBase) {
  MemoryModel model;
  model.set("llama.rope.dimension_count", 4);
  model.set("llama.rope.freq_base", 500000.0);
  EXPECT_EQ(read(model).value().dims, 4);
  EXPECT_EQ(read(model).value().theta, 500000);
}

TEST(RopeSpec, RefusesDimensionsThatAreOddOrMoreThanTheHeadHas) {
  for (const int dims : {0, 1, 3, 9, 16, -2}) {
    MemoryModel model;
    model.set("llama.rope.dimension_count", dims);
    EXPECT_THAT(read(model).error().message(),
                HasSubstr("rope.dimension_count = " + std::to_string(dims)));
  }
}

TEST(RopeSpec, ReadsLinearScalingUnderEachOfItsNames) {
  EXPECT_EQ(read(scaled("linear", 2.5)).value().linear_factor, 2.5);
  EXPECT_EQ(read(scaled("", 2.5)).value().linear_factor, 2.5);
  MemoryModel old;
  old.set("llama.rope.scale_linear", 8.0);
  EXPECT_EQ(read(old).value().linear_factor, 8);
  EXPECT_EQ(read(scaled("none", 2.5)).value().linear_factor, 1);
}

TEST(RopeSpec, D46RefusesUnknownKindsAndLinearWithoutAFactor) {
  for (const auto* kind : {"yarn", "longrope", "dynamic", "Linear", "x"}) {
    const auto error = read(scaled(kind, 2)).error();
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.message(), HasSubstr(std::string("\"") + kind + "\""));
  }
  EXPECT_EQ(read(scaled("linear", 0)).error().code(), ErrorCode::not_found);
}

TEST(RopeSpec, RefusesFactorsAndBasesThatAreNoPositiveNumbers) {
  for (const double bad :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(read(scaled("linear", bad)));
    MemoryModel model;
    model.set("llama.rope.freq_base", bad);
    EXPECT_FALSE(read(model));
  }
}

TEST(RopeSpec, ReadsTheDivisorsOfLlama3FromTheirTensor) {
  const float divisors[] = {1, 1, 4.5f, 8};
  MemoryModel model;
  model.set_tensor("rope_freqs.weight", {4}, WeightType::f32, std::as_bytes(std::span(divisors)));
  EXPECT_EQ(read(model).value().divisors, (std::vector<float>{1, 1, 4.5f, 8}));
}

TEST(RopeSpec, RefusesDivisorsOfAnotherShapeOrValue) {
  float divisors[] = {1, 1, 1, 0};
  MemoryModel model;
  model.set_tensor("rope_freqs.weight", {8}, WeightType::f32, {});
  EXPECT_THAT(read(model).error().message(), HasSubstr("the shape [4]"));
  model.set_tensor("rope_freqs.weight", {4}, WeightType::f16, {});
  EXPECT_THAT(read(model).error().message(), HasSubstr("expected f32"));
  for (const float bad : {0.0f, -1.0f, std::nanf(""), std::numeric_limits<float>::infinity()}) {
    divisors[3] = bad;
    model.set_tensor("rope_freqs.weight", {4}, WeightType::f32, std::as_bytes(std::span(divisors)));
    EXPECT_THAT(read(model).error().message(), HasSubstr("expected finite numbers above 0"));
  }
}

}  // namespace
}  // namespace troupe::model
