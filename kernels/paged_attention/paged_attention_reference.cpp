#include "kernels/lanes/half.h"
#include "kernels/paged_attention/paged_attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace troupe::kernels {
namespace {

float stored(const std::byte* base, std::int64_t index, KvPrecision precision) {
  if (precision == KvPrecision::f32) {
    float value;
    std::memcpy(&value, base + index * 4, sizeof value);
    return value;
  }
  std::uint16_t bits;
  std::memcpy(&bits, base + index * 2, sizeof bits);
  return precision == KvPrecision::bf16 ? lanes::float_of_bf16(bits) : lanes::float_of_f16(bits);
}

void store(std::byte* base, std::int64_t index, KvPrecision precision, float value) {
  if (precision == KvPrecision::f32) {
    std::memcpy(base + index * 4, &value, sizeof value);
    return;
  }
  const std::uint16_t bits =
      precision == KvPrecision::bf16 ? lanes::bf16_of_float(value) : lanes::f16_of_float(value);
  std::memcpy(base + index * 2, &bits, sizeof bits);
}

/// The keys of one head in the block that holds `position`; its values follow.
const std::byte* head_block(const AttentionRows& rows, int position) {
  const auto block = rows.table[position / kBlockSize].value;
  return rows.pool + block * rows.layout.block_bytes() + rows.kv_head * rows.layout.head_bytes();
}

void attend_query(const AttentionRows& rows, const float* query, int position, float* output) {
  const auto& layout = rows.layout;
  std::vector<double> weights(static_cast<std::size_t>(position) + 1);
  for (int t = 0; t <= position; ++t) {
    const std::byte* keys = head_block(rows, t);
    double score = 0;
    for (int d = 0; d < layout.head_dim; ++d)
      score += double{query[d]} * stored(keys, d * kBlockSize + t % kBlockSize, layout.precision);
    weights[static_cast<std::size_t>(t)] = score * rows.scale;
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights)
    sum += weight = std::exp(weight - largest);
  for (int d = 0; d < layout.head_dim; ++d) {
    double total = 0;
    for (int t = 0; t <= position; ++t) {
      const std::byte* values = head_block(rows, t) + layout.key_bytes();
      const int index = t % kBlockSize * layout.padded_dim() + d;
      total += weights[static_cast<std::size_t>(t)] * stored(values, index, layout.precision);
    }
    output[d] = static_cast<float>(total / sum);
  }
}

}  // namespace

void paged_attention_reference(const AttentionRows& rows) {
  for (int row = 0; row < rows.num_rows; ++row)
    for (int i = 0; i < rows.group(); ++i) {
      const std::int64_t head = (rows.kv_head * rows.group() + i) * rows.layout.head_dim;
      attend_query(rows, rows.queries + row * rows.query_stride + head, rows.first_position + row,
                   rows.output + row * rows.output_stride + head);
    }
}

void kv_write_reference(const KvWrite& token) {
  const auto& layout = token.layout;
  for (int head = 0; head < layout.num_kv_heads; ++head) {
    std::byte* keys = token.block + head * layout.head_bytes();
    std::byte* values = keys + layout.key_bytes();
    for (int d = 0; d < layout.head_dim; ++d) {
      const int index = head * layout.head_dim + d;
      store(keys, d * kBlockSize + token.slot, layout.precision, token.keys[index]);
      store(values, token.slot * layout.padded_dim() + d, layout.precision, token.values[index]);
    }
  }
}

}  // namespace troupe::kernels
