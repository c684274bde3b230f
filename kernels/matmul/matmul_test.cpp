#include "kernels/matmul/matmul.h"

#include "kernels/matmul/random_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace troupe::kernels {
namespace {

constexpr WeightFormat kFormats[] = {
    WeightFormat::f32,  WeightFormat::bf16,     WeightFormat::int4,          WeightFormat::int4_min,
    WeightFormat::int8, WeightFormat::int8_min, WeightFormat::int4_min_wide, WeightFormat::int8_16};
constexpr Precision kAllPrecisions[] = {Precision::f32, Precision::bf16, Precision::bf16x2,
                                        Precision::int8, Precision::int8x2};

std::string name_of(const MatmulVariant& variant, WeightFormat format, Precision precision) {
  return std::string(variant.name) + " " + std::string(to_string(format)) + " " +
         std::string(to_string(precision));
}

template <class Function>
void for_every_kernel(const Function& function) {
  for (const MatmulVariant* variant : matmul_variants())
    for (const auto format : kFormats)
      for (const auto precision : kAllPrecisions)
        if (precision_for(format, precision) == precision) {
          SCOPED_TRACE(name_of(*variant, format, precision));
          function(*variant, format, precision);
        }
}

PackedMatrix packed(const WeightSource& source) {
  ThreadTeam team(1);
  auto matrix = PackedMatrix::pack(source, team);
  EXPECT_TRUE(matrix) << (matrix ? "" : matrix.error().message());
  return matrix ? std::move(*matrix) : PackedMatrix();
}

/// Products with one thread: [rows, n].
std::vector<float> product(const MatmulVariant& variant, Precision precision, const PackedMatrix& w,
                           const float* x, std::int64_t rows) {
  std::vector<std::byte> memory(PackedActivations::bytes(precision, rows, w.k()));
  const PackedActivations activations(variant, precision, rows, w.k(), memory.data());
  activations.pack(x, w.k());
  std::vector<float> y(static_cast<std::size_t>(rows * w.n()), -1.0f);
  const MatmulOutput output{&w, y.data(), w.n(), false};
  matmul(activations, std::span(&output, 1));
  return y;
}

/// Equal bits, so that -0 differs from 0 and a NaN equals itself.
void expect_same_bits(const float* a, const float* b, std::int64_t count) {
  ASSERT_EQ(std::memcmp(a, b, static_cast<std::size_t>(count) * 4), 0);
}

TEST(Matmul, AgreesWithTheReferenceInEveryVariantFormatAndPrecision) {
  for_every_kernel([](const MatmulVariant& variant, WeightFormat format, Precision precision) {
    constexpr std::int64_t kRows = 5, kN = 37, kK = 192;
    const PackedMatrix w = packed(random_weights(1, kN, kK, format));
    const auto x = random_activations(2, kRows * kK);
    const auto y = product(variant, precision, w, x.data(), kRows);
    std::vector<float> expected(y.size());
    matmul_reference(x.data(), kK, kRows, precision, w, expected.data(), kN);
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_NEAR(y[i], expected[i], 2e-5 * (1 + std::abs(expected[i])));
  });
}

TEST(Matmul, GivesEveryRowTheBitsItHasAlone) {
  for_every_kernel([](const MatmulVariant& variant, WeightFormat format, Precision precision) {
    constexpr std::int64_t kRows = 100, kN = 37, kK = 96;
    const PackedMatrix w = packed(random_weights(3, kN, kK, format));
    const auto x = random_activations(4, kRows * kK);
    std::vector<float> alone;
    for (std::int64_t r = 0; r < kRows; ++r) {
      const auto y = product(variant, precision, w, x.data() + r * kK, 1);
      alone.insert(alone.end(), y.begin(), y.end());
    }
    for (const std::int64_t rows : {2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 100}) {
      const std::int64_t first = (kRows - rows) / 2;
      const auto y = product(variant, precision, w, x.data() + first * kK, rows);
      expect_same_bits(y.data(), alone.data() + first * kN, rows * kN);
    }
  });
}

TEST(Matmul, GivesTheSameBitsInEveryVariant) {
  for_every_kernel([](const MatmulVariant& variant, WeightFormat format, Precision precision) {
    constexpr std::int64_t kRows = 23, kN = 50, kK = 160;
    const PackedMatrix w = packed(random_weights(5, kN, kK, format));
    const auto x = random_activations(6, kRows * kK);
    const auto y = product(variant, precision, w, x.data(), kRows);
    const auto portable = product(*matmul_variants().back(), precision, w, x.data(), kRows);
    expect_same_bits(y.data(), portable.data(), kRows * kN);
  });
}

TEST(Matmul, GivesTheSameBitsForEveryNumberOfThreadsAndProductsAtATime) {
  ThreadTeam teams[] = {ThreadTeam(1), ThreadTeam(2), ThreadTeam(3)};
  for_every_kernel([&](const MatmulVariant& variant, WeightFormat format, Precision precision) {
    constexpr std::int64_t kK = 64;
    const PackedMatrix wide = packed(random_weights(7, 700, kK, format));
    const PackedMatrix narrow = packed(random_weights(8, 5, kK, format));
    for (const std::int64_t rows : {3, 150}) {
      const auto x = random_activations(9, rows * kK);
      const auto expected_wide = product(variant, precision, wide, x.data(), rows);
      const auto expected_narrow = product(variant, precision, narrow, x.data(), rows);
      for (ThreadTeam& team : teams) {
        std::vector<std::byte> memory(PackedActivations::bytes(precision, rows, kK));
        const PackedActivations activations(variant, precision, rows, kK, memory.data());
        std::vector<float> y_wide(expected_wide.size()), y_narrow(expected_narrow.size());
        const MatmulOutput outputs[] = {{&wide, y_wide.data(), 700, false},
                                        {&narrow, y_narrow.data(), 5, false}};
        team.run([&](int) {
          activations.pack(team, x.data(), kK);
          team.barrier();
          matmul(team, activations, outputs);
        });
        expect_same_bits(y_wide.data(), expected_wide.data(), rows * 700);
        expect_same_bits(y_narrow.data(), expected_narrow.data(), rows * 5);
      }
    }
  });
}

TEST(Matmul, AddsTheWholeProductToWhatIsThereWhenItAccumulates) {
  for_every_kernel([](const MatmulVariant& variant, WeightFormat format, Precision precision) {
    constexpr std::int64_t kRows = 7, kN = 21, kK = 64;
    const PackedMatrix w = packed(random_weights(10, kN, kK, format));
    const auto x = random_activations(11, kRows * kK), before = random_activations(12, kRows * kN);
    const auto y = product(variant, precision, w, x.data(), kRows);
    std::vector<std::byte> memory(PackedActivations::bytes(precision, kRows, kK));
    const PackedActivations activations(variant, precision, kRows, kK, memory.data());
    activations.pack(x.data(), kK);
    std::vector<float> sum = before;
    const MatmulOutput output{&w, sum.data(), kN, true};
    matmul(activations, std::span(&output, 1));
    for (std::size_t i = 0; i < sum.size(); ++i)
      ASSERT_EQ(sum[i], before[i] + y[i]);
  });
}

TEST(Matmul, WritesNothingOutsideOfItsOutputs) {
  for_every_kernel([](const MatmulVariant& variant, WeightFormat format, Precision precision) {
    constexpr std::int64_t kRows = 11, kN = 19, kK = 32, kStride = 23;
    const PackedMatrix w = packed(random_weights(13, kN, kK, format));
    const auto x = random_activations(14, kRows * kK);
    std::vector<std::byte> memory(PackedActivations::bytes(precision, kRows, kK));
    const PackedActivations activations(variant, precision, kRows, kK, memory.data());
    activations.pack(x.data(), kK);
    std::vector<float> y(kRows * kStride, 12345.0f);
    const MatmulOutput output{&w, y.data(), kStride, false};
    matmul(activations, std::span(&output, 1));
    for (std::int64_t i = 0; i < kRows * kStride; ++i)
      ASSERT_EQ(y[static_cast<std::size_t>(i)] == 12345.0f, i % kStride >= kN) << i;
  });
}

TEST(Matmul, TakesAnyNumberOfColumnsInPlainFormats) {
  for (const MatmulVariant* variant : matmul_variants())
    for (const auto format : {WeightFormat::f32, WeightFormat::bf16})
      for (const std::int64_t k : {1, 2, 31, 33, 64, 172}) {
        SCOPED_TRACE(k);
        const PackedMatrix w = packed(random_weights(15, 3, k, format));
        const auto x = random_activations(16, 2 * k);
        const auto y = product(*variant, Precision::f32, w, x.data(), 2);
        std::vector<float> expected(y.size());
        matmul_reference(x.data(), k, 2, Precision::f32, w, expected.data(), 3);
        for (std::size_t i = 0; i < y.size(); ++i)
          ASSERT_NEAR(y[i], expected[i], 1e-5);
      }
}

TEST(Matmul, ComputesSmallLiteralsExactly) {
  WeightSource source{2, 32, WeightFormat::int4_min, {}, {}};
  source.read_groups = [](std::int64_t row, std::int8_t* codes, float* scales, float* minimums) {
    for (int c = 0; c < 32; ++c)
      codes[c] = static_cast<std::int8_t>(row == 0 ? c % 16 : 15);
    scales[0] = row == 0 ? 0.5f : 2.0f;
    minimums[0] = row == 0 ? -1.0f : 0.25f;
  };
  const PackedMatrix w = packed(source);
  std::vector<float> x(32, 0.0f);
  x[0] = 4, x[15] = 2, x[31] = -1;
  for (const MatmulVariant* variant : matmul_variants()) {
    const auto y = product(*variant, Precision::f32, w, x.data(), 1);
    // Row 0: 4 * -1 + 2 * 6.5 - 6.5. Row 1: (4 + 2 - 1) * 30.25.
    EXPECT_EQ(y, (std::vector<float>{2.5f, 151.25f}));
  }
}

TEST(Matmul, MakesARowWithANanOrAnInfinityNanAndLeavesTheOthersAlone) {
  for_every_kernel([](const MatmulVariant& variant, WeightFormat format, Precision precision) {
    constexpr std::int64_t kRows = 5, kN = 17, kK = 96;
    const PackedMatrix w = packed(random_weights(17, kN, kK, format));
    const auto clean = random_activations(18, kRows * kK);
    const auto expected = product(variant, precision, w, clean.data(), kRows);
    for (const float bad : {NAN, -NAN, INFINITY, -INFINITY}) {
      auto x = clean;
      x[2 * kK + 40] = bad;
      const auto y = product(variant, precision, w, x.data(), kRows);
      for (std::int64_t j = 0; j < kN; ++j)
        ASSERT_FALSE(std::isfinite(y[static_cast<std::size_t>(2 * kN + j)]));
      expect_same_bits(y.data(), expected.data(), 2 * kN);
      expect_same_bits(y.data() + 3 * kN, expected.data() + 3 * kN, 2 * kN);
    }
  });
}

TEST(Matmul, KeepsItsPrecisionForActivationsOfAnyMagnitude) {
  for_every_kernel([](const MatmulVariant& variant, WeightFormat format, Precision precision) {
    constexpr std::int64_t kN = 16, kK = 32;
    const PackedMatrix w = packed(random_weights(19, kN, kK, format));
    for (const float factor : {1e-29f, 1e-10f, 1e10f, 1e30f}) {
      auto x = random_activations(20, kK);
      for (auto& value : x)
        value *= factor;
      const auto y = product(variant, precision, w, x.data(), 1);
      std::vector<float> expected(y.size());
      matmul_reference(x.data(), kK, 1, precision, w, expected.data(), kN);
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(y[i] / factor, expected[i] / factor,
                    2e-5 * (1 + std::abs(expected[i] / factor)));
    }
  });
}

TEST(Matmul, IsMuchCloserToFloat32WithTwoTermsThanWithOne) {
  constexpr std::int64_t kN = 64, kK = 1536;
  const PackedMatrix w = packed(random_weights(21, kN, kK, WeightFormat::int4_min));
  const auto x = random_activations(22, kK);
  const auto exact = product(matmul_variant(), Precision::f32, w, x.data(), 1);
  const auto error = [&](Precision precision) {
    const auto y = product(matmul_variant(), precision, w, x.data(), 1);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      sum += std::pow(y[i] - exact[i], 2);
    return std::sqrt(sum);
  };
  EXPECT_LT(30 * error(Precision::int8x2), error(Precision::bf16));
  EXPECT_LT(100 * error(Precision::bf16x2), error(Precision::bf16));
  EXPECT_LT(2 * error(Precision::bf16), error(Precision::int8));
}

TEST(Matmul, DoesNothingWithoutRowsOrOutputs) {
  ThreadTeam team(2);
  const PackedMatrix w = packed(random_weights(23, 16, 32, WeightFormat::int8));
  std::byte memory[8];
  const PackedActivations none(matmul_variant(), Precision::int8x2, 0, 32, memory);
  const MatmulOutput output{&w, nullptr, 16, false};
  team.run([&](int) {
    none.pack(team, nullptr, 32);
    team.barrier();
    matmul(team, none, std::span(&output, 1));
    team.barrier();
    matmul(team, none, {});
  });
}

}  // namespace
}  // namespace troupe::kernels
