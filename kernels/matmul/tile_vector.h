#pragma once
// What the tile kernels ask of a vector type V of 16 lanes, one lane per weight row.
//
// V has: F (16 float32), I (16 int32); zero, load, load_half, store, store_some, broadcast, add,
// mul, fma on F; and load_int, broadcast_int, set_int, zero_int, add_int, and_int, shift_left<n>,
// shift_right<n> (logical), arithmetic_right<n>, to_float, as_float; prefetch and kBytesAhead;
// PackLoops (see pack_kernels.h); Codes (the codes of a tile and group, made ready for dots) with
// unpack, dot and total. kLargestInteger and kLargestFloat are the largest blocks of activation
// rows (log2), kInterleave the rows whose dots are computed together, kStreams the tiles that a
// single row reads together, kBias4 the zero point of unpacked 4-bit codes without minimums.
#include "kernels/matmul/layout.h"

#include <cstddef>
#include <cstdint>

namespace troupe::kernels {
namespace {

// Register arrays stay in registers only when everything is inlined and unrolled. The portable
// variant has none, and defines these as nothing before it includes this header: it would only
// compile for longer.
#if !defined(TROUPE_INLINE)
#define TROUPE_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define TROUPE_UNROLL _Pragma("unroll")
#else
#define TROUPE_UNROLL _Pragma("GCC unroll 32")
#endif
#endif

using layout::Field;
using layout::kGroup;
using layout::kTileRows;

template <WeightFormat kFormat>
constexpr layout::Record kRecord = layout::record_of(kFormat);

template <WeightFormat kFormat>
constexpr bool kFourBits = kRecord<kFormat>.code_bytes == kTileRows* kGroup / 2;

template <class V, WeightFormat kFormat>
TROUPE_INLINE typename V::F load_scale(const std::byte* at) {
  if constexpr (kRecord<kFormat>.scale_bytes == 2)
    return V::load_half(at);
  else
    return V::load(at);
}

template <class V>
TROUPE_INLINE typename V::F field(const std::byte* fields, int rows, Field which, int row) {
  return V::broadcast(fields + (which * rows + row) * 4);
}

}  // namespace
}  // namespace troupe::kernels
