#pragma once
#include "kernels/lanes/f32x16.h"
#include "kernels/paged_attention/kv_block.h"

// Elements of the KV cache for the vectorised variants: one struct per precision.
namespace troupe::kernels {
inline namespace TROUPE_ISA {

template <KvPrecision precision>
struct KvElement;

template <>
struct KvElement<KvPrecision::f32> {
  using Stored = float;
  static lanes::F32x16 load(const Stored* p) { return lanes::F32x16::load(p); }
  static Stored of(float value) { return value; }
};

template <>
struct KvElement<KvPrecision::bf16> {
  using Stored = std::uint16_t;
  static lanes::F32x16 load(const Stored* p) { return lanes::F32x16::load_bf16(p); }
  static Stored of(float value) { return lanes::bf16_of_float(value); }
};

template <>
struct KvElement<KvPrecision::f16> {
  using Stored = std::uint16_t;
  static lanes::F32x16 load(const Stored* p) { return lanes::F32x16::load_f16(p); }
  static Stored of(float value) { return lanes::f16_of_float(value); }
};

/// Numbers without their scale, which is applied to scores and weights instead.
template <>
struct KvElement<KvPrecision::int8> {
  using Stored = std::int8_t;
  static lanes::F32x16 load(const Stored* p) { return lanes::F32x16::load_int8(p); }
};

}  // namespace TROUPE_ISA
}  // namespace troupe::kernels
