#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace troupe::gumbel {

// The C library's exp and log choose their code by the processor and may differ in the last bit.
// These use only additions, multiplications and divisions in a fixed order, so that one seed gives
// one token on every machine.

/// Natural logarithm; relative error below 1e-14. Pre: x is finite, positive and normal.
inline double fixed_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffff) | 0x3ff0000000000000);  // 1 <= m < 2
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 atanh s = 2 (s + s^3/3 + s^5/5 + ...) with |s| <= 0.1716.
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double sum = 1.0 / 23.0;
  for (int n = 21; n >= 1; n -= 2)
    sum = sum * z + 1.0 / n;
  constexpr double kLn2High =
      0.693147180369123816490;  // has zeros at its end: exact times exponent
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const auto e = static_cast<double>(exponent);
  return e * kLn2High + (2.0 * s * sum + e * kLn2Low);
}

// GNU vectors: the compiler uses what the machine has, and each lane does what a scalar would do.
using Floats [[gnu::vector_size(16)]] = float;
using Ints [[gnu::vector_size(16)]] = std::int32_t;
inline constexpr std::size_t kFloats = 4;

inline Floats load(const float* from) {
  Floats x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

/// e^x for x <= 0, lane by lane; relative error below 3e-7; 0 below -87.
/// Pre: each lane is <= 0 or -infinity.
inline Floats fixed_exp(Floats x) {
  const Floats clamped = x > -88.0f ? x : Floats{} - 88.0f;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const Floats k = (clamped * 1.44269504f + kRound) - kRound;
  const Floats r = (clamped - k * 0.693359375f) + k * 2.12194440e-4f;
  // Taylor series to r^6 / 720 with |r| <= 0.347.
  Floats sum = Floats{} + 1.0f / 720.0f;
  sum = sum * r + 1.0f / 120.0f;
  sum = sum * r + 1.0f / 24.0f;
  sum = sum * r + 1.0f / 6.0f;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  const Ints exponent = __builtin_convertvector(k, Ints) + 127;
  const Ints bits = (exponent > 0 ? exponent : Ints{}) << 23;
  return x < -87.0f ? Floats{} : sum * std::bit_cast<Floats>(bits);
}

/// The same of one number. Pre: x <= 0 or x is -infinity.
inline float fixed_exp(float x) {
  return fixed_exp(Floats{x, 0, 0, 0})[0];
}

/// Standard Gumbel noise from 32 random bits: -log(-log u) with u = (bits + 1/2) / 2^32.
inline double gumbel_noise(std::uint32_t bits) {
  const double u = (static_cast<double>(bits) + 0.5) * 0x1p-32;
  return -fixed_log(-fixed_log(u));
}

/// No noise is larger.
inline constexpr double kMaxNoise = 22.88;

}  // namespace troupe::gumbel
