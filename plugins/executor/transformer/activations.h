#pragma once
#include "kernels/matmul/weight_format.h"

#include <cstdint>
#include <string_view>

namespace troupe::transformer {

/// What a model's table may ask for: how exactly activations enter the matrix products.
enum class Activations : std::uint8_t { f32, bf16, int8, int8x2 };
inline constexpr int kActivations = 4;

/// Name of a choice, such as "int8x2".
constexpr std::string_view to_string(Activations activations) {
  constexpr std::string_view kNames[kActivations] = {"f32", "bf16", "int8", "int8x2"};
  return kNames[static_cast<int>(activations)];
}

/// Which number a product takes: what a norm gave (q, k, v, gate, up, head), what attention gave
/// (output projection) or what SwiGLU gave (down projection).
enum class ProductInput : std::uint8_t { norm, attention, swiglu };

/// The precision of a product's input: the one of the same name, but bf16 takes what a norm gave as
/// two terms. Rounded once, those inputs bring 70 % of the error of all activations
/// (docs/decisions, two bf16 terms after a norm).
constexpr kernels::Precision precision_of(Activations activations, ProductInput input) {
  using kernels::Precision;
  switch (activations) {
    case Activations::f32:
      return Precision::f32;
    case Activations::bf16:
      return input == ProductInput::norm ? Precision::bf16x2 : Precision::bf16;
    case Activations::int8:
      return Precision::int8;
    case Activations::int8x2:
      break;
  }
  return Precision::int8x2;
}

}  // namespace troupe::transformer
