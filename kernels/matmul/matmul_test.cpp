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
constexpr Precision kAllPrecisions[] = {Precision::f32, Precision::bf16, Precision::int8,
                                        Precision::int8x2};

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

}  // namespace
}  // namespace troupe::kernels
