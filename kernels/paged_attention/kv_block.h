#pragma once
#include "troupe/api/ids.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe::kernels {

/// How keys and values are stored. Arithmetic is in float32 in each of them. int8: a token's key or
/// value of one head is 8-bit numbers -127..127 times one float32 scale, its largest magnitude /
/// 127.
enum class KvPrecision : std::uint8_t { f32, bf16, f16, int8 };
inline constexpr int kKvPrecisions = 4;

constexpr std::string_view to_string(KvPrecision precision) {
  constexpr std::string_view kNames[kKvPrecisions] = {"f32", "bf16", "f16", "int8"};
  return kNames[static_cast<int>(precision)];
}

/// One layer's share of one KV block: kBlockSize tokens of all KV heads. For each head, one after
/// the other:
///   keys   [head_dim][kBlockSize]: transposed, so that a vector holds one dimension of sixteen
///   tokens;
///   values [kBlockSize][padded_dim]: dimensions past head_dim are never written and must be
///   finite;
///   int8 only: the scales of the keys, then of the values, float32 [2][kBlockSize].
struct KvBlockLayout {
  std::int32_t num_kv_heads = 0;
  std::int32_t head_dim = 0;
  KvPrecision precision = KvPrecision::f32;

  constexpr std::int64_t element_bytes() const {
    return precision == KvPrecision::f32 ? 4 : precision == KvPrecision::int8 ? 1 : 2;
  }
  /// head_dim rounded up to whole vectors of 16.
  constexpr std::int32_t padded_dim() const { return (head_dim + 15) / 16 * 16; }
  constexpr std::int64_t key_bytes() const { return element_bytes() * head_dim * kBlockSize; }
  /// Where a head's scales begin.
  constexpr std::int64_t scales_offset() const {
    return key_bytes() + element_bytes() * padded_dim() * kBlockSize;
  }
  constexpr std::int64_t head_bytes() const {
    const std::int64_t scales = precision == KvPrecision::int8 ? 2 * kBlockSize : 0;
    return scales_offset() + scales * 4;
  }
  constexpr std::int64_t block_bytes() const { return head_bytes() * num_kv_heads; }
};

}  // namespace troupe::kernels
