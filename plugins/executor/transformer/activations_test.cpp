#include "plugins/executor/transformer/activations.h"

#include <gtest/gtest.h>

namespace troupe::transformer {
namespace {

constexpr ProductInput kInputs[] = {ProductInput::norm, ProductInput::attention,
                                    ProductInput::swiglu};

TEST(Activations, EnterEveryProductInThePrecisionOfTheirName) {
  for (const auto activations : {Activations::f32, Activations::int8, Activations::int8x2})
    for (const auto input : kInputs)
      EXPECT_EQ(to_string(precision_of(activations, input)), to_string(activations));
}

TEST(Activations, HaveTwoTermsInBf16WhereTheyComeFromANorm) {
  const auto precision = [](ProductInput input) { return precision_of(Activations::bf16, input); };
  EXPECT_EQ(precision(ProductInput::norm), kernels::Precision::bf16x2);
  EXPECT_EQ(precision(ProductInput::attention), kernels::Precision::bf16);
  EXPECT_EQ(precision(ProductInput::swiglu), kernels::Precision::bf16);
}

}  // namespace
}  // namespace troupe::transformer
