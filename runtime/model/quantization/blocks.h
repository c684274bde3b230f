#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

// The blocks of the quantized tensor types, as they lie in GGUF files: little-endian, without
// padding. Source: the block structures of ggml (ggml-common.h), described in each comment.
namespace troupe::model::quantization {

inline constexpr std::int64_t kGroup = 32;        // elements of a block of q4_0 to q8_0
inline constexpr std::int64_t kSuperBlock = 256;  // elements of a block of q4_k to q6_k

/// value = scale * quant.
struct BlockQ8_0 {
  std::uint16_t scale;  // binary16, as every scale and minimum below
  std::array<std::int8_t, 32> quants;
};

/// value = scale * (quant - 8). Byte i: element i in the low half, element i + 16 in the high half.
struct BlockQ4_0 {
  std::uint16_t scale;
  std::array<std::uint8_t, 16> quants;
};

/// value = scale * quant + minimum. Bytes as in BlockQ4_0.
struct BlockQ4_1 {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::array<std::uint8_t, 16> quants;
};

/// value = scale * (quant - 16). Low four bits as in BlockQ4_0; bit i of high_bits is element i's
/// fifth.
struct BlockQ5_0 {
  std::uint16_t scale;
  std::array<std::uint8_t, 4> high_bits;
  std::array<std::uint8_t, 16> quants;
};

/// value = scale * quant + minimum. Bits as in BlockQ5_0.
struct BlockQ5_1 {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::array<std::uint8_t, 4> high_bits;
  std::array<std::uint8_t, 16> quants;
};

/// Eight sub-blocks of 32: value = scale * sub_scale * quant - minimum * sub_minimum, where the
/// 6-bit sub_scales and sub_minimums are packed in 12 bytes (see sub_scale_and_minimum). 32 bytes
/// of quants hold two sub-blocks: the even one in the low halves, the odd one in the high halves.
struct BlockQ4K {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::array<std::uint8_t, 12> sub_scales;
  std::array<std::uint8_t, 128> quants;
};

/// As BlockQ4K with a fifth bit: bit s of high_bits[i] belongs to element i of sub-block s.
struct BlockQ5K {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::array<std::uint8_t, 12> sub_scales;
  std::array<std::uint8_t, 32> high_bits;
  std::array<std::uint8_t, 128> quants;
};

/// Sixteen sub-blocks of 16: value = scale * sub_scale * (quant - 32). Each half of 128 elements
/// has 64 bytes of low four bits and 32 bytes of high two bits; for i < 32 and part p < 4, element
/// 32 p + i of the half has its low bits in low_bits[i + 32 (p % 2)], low half for p < 2, and its
/// high bits at bits 2p of high_bits[i].
struct BlockQ6K {
  std::array<std::uint8_t, 128> low_bits;
  std::array<std::uint8_t, 64> high_bits;
  std::array<std::int8_t, 16> sub_scales;
  std::uint16_t scale;
};

static_assert(sizeof(BlockQ8_0) == 34 && sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20);
static_assert(sizeof(BlockQ5_0) == 22 && sizeof(BlockQ5_1) == 24);
static_assert(sizeof(BlockQ4K) == 144 && sizeof(BlockQ5K) == 176 && sizeof(BlockQ6K) == 210);

/// The 6-bit scale and minimum of one sub-block of a BlockQ4K or BlockQ5K.
struct SubScale {
  std::uint8_t scale;
  std::uint8_t minimum;
};

/// Unpacks sub-block `s` (0 to 7): the first four have their six bits in bytes s and s + 4; the
/// last four have their low four bits in byte s + 4 and their high two in the top bits of bytes s -
/// 4 and s.
inline SubScale sub_scale_and_minimum(const std::array<std::uint8_t, 12>& packed, std::size_t s) {
  if (s < 4)
    return {static_cast<std::uint8_t>(packed[s] & 63),
            static_cast<std::uint8_t>(packed[s + 4] & 63)};
  return {static_cast<std::uint8_t>((packed[s + 4] & 15) | ((packed[s - 4] >> 6) << 4)),
          static_cast<std::uint8_t>((packed[s + 4] >> 4) | ((packed[s] >> 6) << 4))};
}

/// The inverse of sub_scale_and_minimum. Pre: both are below 64, and `packed` is zero at first.
inline void set_sub_scale(std::array<std::uint8_t, 12>& packed, std::size_t s, SubScale value) {
  const auto put = [&packed](std::size_t byte, unsigned bits) {
    packed[byte] = static_cast<std::uint8_t>(packed[byte] | bits);
  };
  if (s < 4) {
    put(s, value.scale);
    put(s + 4, value.minimum);
    return;
  }
  put(s + 4, (value.scale & 15u) | ((value.minimum & 15u) << 4));
  put(s - 4, (value.scale >> 4u) << 6);
  put(s, (value.minimum >> 4u) << 6);
}

/// Calls `convert(block, out)` for each block of a row, `elements` of a block at a time. Blocks are
/// copied out of the file, where they may lie at any address.
template <class Block, class Convert>
void for_each_block(const std::byte* row, float* out, std::int64_t elements,
                    std::int64_t block_elements, Convert convert) {
  for (std::int64_t i = 0; i < elements; i += block_elements) {
    Block block;
    std::memcpy(&block, row, sizeof(Block));
    convert(block, out + i);
    row += sizeof(Block);
  }
}

}  // namespace troupe::model::quantization
