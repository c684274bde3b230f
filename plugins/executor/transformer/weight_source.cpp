#include "plugins/executor/transformer/weight_source.h"

#include "troupe/api/check.h"
#include "troupe/model/dequantize.h"
#include "troupe/model/float_bits.h"
#include "troupe/model/quantization/blocks.h"
#include "troupe/model/weight_type.h"

namespace troupe::transformer {
namespace {

using kernels::WeightFormat;
using model::half_to_float;
using model::WeightType;
using namespace model::quantization;

/// Where the groups of a row go; put_* moves on by one group.
struct Groups {
  std::int8_t* codes;
  float* scales;
  float* minimums;

  template <class Code>
  void put(int size, float scale, float minimum, const Code& code) {
    for (int i = 0; i < size; ++i)
      *codes++ = static_cast<std::int8_t>(code(static_cast<std::size_t>(i)));
    *scales++ = scale;
    if (minimums) *minimums++ = minimum;
  }
};

/// Element i (0..31) of four-bit numbers that lie as BlockQ4_0 says.
int nibble(const std::array<std::uint8_t, 16>& quants, std::size_t i) {
  return i < 16 ? quants[i] & 15 : quants[i - 16] >> 4;
}

/// Five-bit numbers that lie as BlockQ5_0 says.
template <class Block>
int five_bits(const Block& block, std::size_t i) {
  return nibble(block.quants, i) | ((block.high_bits[i / 8] >> (i % 8) & 1) << 4);
}

void read(const BlockQ8_0& block, Groups& out) {
  out.put(32, half_to_float(block.scale), 0, [&](std::size_t i) { return block.quants[i]; });
}

void read(const BlockQ4_0& block, Groups& out) {
  out.put(32, half_to_float(block.scale), 0,
          [&](std::size_t i) { return nibble(block.quants, i); });
}

void read(const BlockQ4_1& block, Groups& out) {
  out.put(32, half_to_float(block.scale), half_to_float(block.minimum),
          [&](std::size_t i) { return nibble(block.quants, i); });
}

void read(const BlockQ5_0& block, Groups& out) {
  out.put(32, half_to_float(block.scale), 0,
          [&](std::size_t i) { return five_bits(block, i) - 16; });
}

void read(const BlockQ5_1& block, Groups& out) {
  out.put(32, half_to_float(block.scale), half_to_float(block.minimum),
          [&](std::size_t i) { return five_bits(block, i); });
}

/// The eight groups of a block of q4_k or q5_k; `fifth(s, i)` is bit 4 of element i of group s.
template <class Block, class Fifth>
void read_k(const Block& block, Groups& out, const Fifth& fifth) {
  for (std::size_t s = 0; s < 8; ++s) {
    const auto sub = sub_scale_and_minimum(block.sub_scales, s);
    const float scale = half_to_float(block.scale) * static_cast<float>(sub.scale);
    const float minimum = half_to_float(block.minimum) * static_cast<float>(sub.minimum);
    out.put(32, scale, -minimum, [&](std::size_t i) {
      const int both = block.quants[32 * (s / 2) + i];
      return (s % 2 == 0 ? both & 15 : both >> 4) | (fifth(s, i) << 4);
    });
  }
}

void read(const BlockQ4K& block, Groups& out) {
  read_k(block, out, [](std::size_t, std::size_t) { return 0; });
}

void read(const BlockQ5K& block, Groups& out) {
  read_k(block, out, [&](std::size_t s, std::size_t i) { return block.high_bits[i] >> s & 1; });
}

void read(const BlockQ6K& block, Groups& out) {
  for (std::size_t s = 0; s < 16; ++s) {
    const float scale = half_to_float(block.scale) * static_cast<float>(block.sub_scales[s]);
    const std::size_t half = s / 8, part = s % 8 / 2, first = 16 * (s % 2);
    out.put(16, scale, 0, [&](std::size_t k) {
      const int low = block.low_bits[64 * half + 32 * (part % 2) + first + k];
      const int high = block.high_bits[32 * half + first + k] >> (2 * part) & 3;
      return ((part < 2 ? low & 15 : low >> 4) | (high << 4)) - 32;
    });
  }
}

template <class Block>
void read_row(const std::byte* row, std::int64_t elements, std::int64_t block_elements,
              Groups out) {
  for (std::int64_t i = 0; i < elements; i += block_elements, row += sizeof(Block)) {
    Block block;
    std::memcpy(&block, row, sizeof block);
    read(block, out);
  }
}

void read_groups(WeightType type, const std::byte* row, std::int64_t elements, Groups out) {
  switch (type) {
    case WeightType::q8_0:
      return read_row<BlockQ8_0>(row, elements, kGroup, out);
    case WeightType::q4_0:
      return read_row<BlockQ4_0>(row, elements, kGroup, out);
    case WeightType::q4_1:
      return read_row<BlockQ4_1>(row, elements, kGroup, out);
    case WeightType::q5_0:
      return read_row<BlockQ5_0>(row, elements, kGroup, out);
    case WeightType::q5_1:
      return read_row<BlockQ5_1>(row, elements, kGroup, out);
    case WeightType::q4_k:
      return read_row<BlockQ4K>(row, elements, kSuperBlock, out);
    case WeightType::q5_k:
      return read_row<BlockQ5K>(row, elements, kSuperBlock, out);
    case WeightType::q6_k:
      return read_row<BlockQ6K>(row, elements, kSuperBlock, out);
    default:
      TROUPE_CHECK(!"a type without groups");
  }
}

}  // namespace

WeightFormat weight_format(WeightType type) {
  switch (type) {
    case WeightType::f32:
    case WeightType::f16:
      return WeightFormat::f32;
    case WeightType::bf16:
      return WeightFormat::bf16;
    case WeightType::q8_0:
    case WeightType::q5_0:
      return WeightFormat::int8;
    case WeightType::q4_0:
      return WeightFormat::int4;
    case WeightType::q4_1:
      return WeightFormat::int4_min;
    case WeightType::q4_k:
      return WeightFormat::int4_min_wide;
    case WeightType::q5_1:
    case WeightType::q5_k:
      return WeightFormat::int8_min;
    case WeightType::q6_k:
      return WeightFormat::int8_16;
  }
  return WeightFormat::f32;
}

kernels::WeightSource weight_source(const model::TensorInfo& tensor) {
  const auto type = tensor.type;
  const auto columns = tensor.shape[1];
  const auto stride = model::row_bytes(type, columns);
  const std::byte* data = tensor.data.data();
  kernels::WeightSource source;
  source.n = tensor.shape[0];
  source.k = columns;
  source.format = weight_format(type);
  source.read_floats = [=](std::int64_t row, float* weights) {
    model::dequantize_row(type, data + row * stride, weights, columns);
  };
  source.read_groups = [=](std::int64_t row, std::int8_t* codes, float* scales, float* minimums) {
    const bool has_minimums = kernels::has_minimum(weight_format(type));
    read_groups(type, data + row * stride, columns,
                {codes, scales, has_minimums ? minimums : nullptr});
  };
  return source;
}

}  // namespace troupe::transformer
