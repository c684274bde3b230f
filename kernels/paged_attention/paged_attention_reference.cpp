#include "kernels/lanes/half.h"
#include "kernels/paged_attention/paged_attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace troupe::kernels {
namespace {

template <class Number>
Number load(const std::byte* base, std::int64_t index) {
  Number value;
  std::memcpy(&value, base + index * static_cast<std::int64_t>(sizeof value), sizeof value);
  return value;
}

template <class Number>
void save(std::byte* base, std::int64_t index, Number value) {
  std::memcpy(base + index * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
}

/// One element as it is stored, int8 without its scale.
float stored(const std::byte* base, std::int64_t index, KvPrecision precision) {
  switch (precision) {
    case KvPrecision::f32:
      return load<float>(base, index);
    case KvPrecision::bf16:
      return lanes::float_of_bf16(load<std::uint16_t>(base, index));
    case KvPrecision::f16:
      return lanes::float_of_f16(load<std::uint16_t>(base, index));
    case KvPrecision::int8:
      break;
  }
  return load<std::int8_t>(base, index);
}

void store(std::byte* base, std::int64_t index, KvPrecision precision, float value, float scale) {
  switch (precision) {
    case KvPrecision::f32:
      return save(base, index, value);
    case KvPrecision::bf16:
      return save(base, index, lanes::bf16_of_float(value));
    case KvPrecision::f16:
      return save(base, index, lanes::f16_of_float(value));
    case KvPrecision::int8:
      break;
  }
  const bool usable = scale > 0;  // neither 0 nor NaN
  save(base, index, static_cast<std::int8_t>(usable ? std::nearbyint(value / scale) : 0));
}

/// The largest magnitude / 127; 0 when that is no normal float, NaN when a number is not finite.
float scale_of(const float* values, int count) {
  float most = 0;
  for (int i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) return std::numeric_limits<float>::quiet_NaN();
    most = std::max(most, std::abs(values[i]));
  }
  const float scale = most / 127;
  return scale < std::numeric_limits<float>::min() ? 0 : scale;
}

/// The keys of one head in the block that holds `position`; its values follow.
const std::byte* head_block(const AttentionRows& rows, int position) {
  const auto block = rows.table[position / kBlockSize].value;
  return rows.pool + block * rows.layout.block_bytes() + rows.kv_head * rows.layout.head_bytes();
}

/// What the stored key (values 0) or value (1) of the token at `position` is multiplied by.
double token_scale(const AttentionRows& rows, int position, int values) {
  if (rows.layout.precision != KvPrecision::int8) return 1;
  return load<float>(head_block(rows, position) + rows.layout.scales_offset(),
                     values * kBlockSize + position % kBlockSize);
}

void attend_query(const AttentionRows& rows, const float* query, int position, float* output) {
  const auto& layout = rows.layout;
  const int first = first_seen(position, rows.window);
  std::vector<double> weights;
  for (int t = first; t <= position; ++t) {
    const std::byte* keys = head_block(rows, t);
    double score = 0;
    for (int d = 0; d < layout.head_dim; ++d)
      score += double{query[d]} * stored(keys, d * kBlockSize + t % kBlockSize, layout.precision);
    weights.push_back(score * token_scale(rows, t, 0) * rows.scale);
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights)
    sum += weight = std::exp(weight - largest);
  for (int d = 0; d < layout.head_dim; ++d) {
    double total = 0;
    for (int t = first; t <= position; ++t) {
      const std::byte* values = head_block(rows, t) + layout.key_bytes();
      const int index = t % kBlockSize * layout.padded_dim() + d;
      total += weights[static_cast<std::size_t>(t - first)] * token_scale(rows, t, 1) *
               stored(values, index, layout.precision);
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
    const float* key = token.keys + head * layout.head_dim;
    const float* value = token.values + head * layout.head_dim;
    const float key_scale = scale_of(key, layout.head_dim);
    const float value_scale = scale_of(value, layout.head_dim);
    for (int d = 0; d < layout.head_dim; ++d) {
      store(keys, d * kBlockSize + token.slot, layout.precision, key[d], key_scale);
      store(values, token.slot * layout.padded_dim() + d, layout.precision, value[d], value_scale);
    }
    if (layout.precision != KvPrecision::int8) continue;
    save(keys + layout.scales_offset(), token.slot, key_scale);
    save(keys + layout.scales_offset(), kBlockSize + token.slot, value_scale);
  }
}

}  // namespace troupe::kernels
