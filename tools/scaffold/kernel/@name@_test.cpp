#include "kernels/@name@/@name@.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace troupe::kernels {
namespace {

TEST(@Name@, ReferenceMatchesAHandComputedExample) {
  const std::vector<float> x = {-1, 0, 2, 3};
  std::vector<float> out(4);
  @name@_reference({x.data(), out.data(), 2, 2});
  EXPECT_EQ(out, (std::vector<float>{0, 0, 2, 3}));
}

TEST(@Name@, VariantsAgreeWithTheReferenceOnOddSizes) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const std::int64_t columns : {1, 7, 16, 33, 129}) {
    std::vector<float> x(static_cast<std::size_t>(3 * columns)), out(x.size()), expected(x.size());
    for (auto& value : x)
      value = normal(random);
    @name@({x.data(), out.data(), 3, columns});
    @name@_reference({x.data(), expected.data(), 3, columns});
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_FLOAT_EQ(out[i], expected[i]) << columns;
  }
}

}  // namespace
}  // namespace troupe::kernels
