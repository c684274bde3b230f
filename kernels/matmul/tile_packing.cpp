#include "kernels/matmul/tile_packing.h"

#include "kernels/matmul/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace troupe::kernels {
namespace {

using layout::kGroup;
using layout::kTileRows;

bool exact_in_half(float value) {
  return float_from_half(half_from_exact(value)) == value || std::isnan(value);
}

bool exact_in_bf16(float value) {
  return (std::bit_cast<std::uint32_t>(value) & 0xffff) == 0 || std::isnan(value);
}

void clear(TilePacking::Rows& rows, int first) {
  const auto clear_from = [&](auto& values, std::int64_t width) {
    if (!values.empty()) std::fill(values.begin() + first * width, values.end(), 0);
  };
  clear_from(rows.floats, rows.k);
  clear_from(rows.codes, rows.k);
  clear_from(rows.scales, rows.groups);
  clear_from(rows.minimums, rows.groups);
}

void put_scales(const layout::Record& record, const float* values, std::int64_t stride,
                std::byte* out) {
  for (int r = 0; r < kTileRows; ++r) {
    const float value = values[r * stride];
    const std::uint16_t half = half_from_exact(value);
    if (record.scale_bytes == 2)
      std::memcpy(out + r * 2, &half, 2);
    else
      std::memcpy(out + r * 4, &value, 4);
  }
}

/// The four codes from `codes` on, in the order of their addresses.
std::uint32_t four_codes(const std::int8_t* codes) {
  std::uint32_t four;
  std::memcpy(&four, codes, 4);
  return four;
}

void put_codes8(const std::int8_t* codes, std::int64_t stride, std::byte* out) {
  for (int r = 0; r < kTileRows; ++r)
    for (int unit = 0; unit < 8; ++unit) {
      const std::uint32_t four = four_codes(codes + r * stride + unit * 4) ^ 0x80808080u;
      std::memcpy(out + unit * 64 + r * 4, &four, 4);
    }
}

void put_codes4(const std::int8_t* codes, std::int64_t stride, std::byte* out) {
  for (int r = 0; r < kTileRows; ++r)
    for (int v = 0; v < 4; ++v) {
      const std::int8_t* eight = codes + r * stride + v * 8;
      const std::uint32_t four = four_codes(eight) | four_codes(eight + 4) << 4;
      std::memcpy(out + v * 64 + r * 4, &four, 4);
    }
}

void put_floats(WeightFormat format, const float* weights, std::int64_t stride, std::byte* out) {
  for (int r = 0; r < kTileRows; ++r)
    for (int c = 0; c < kGroup; ++c) {
      const float weight = weights[r * stride + c];
      const auto high = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(weight) >> 16);
      if (format == WeightFormat::bf16)
        std::memcpy(out + (c / 2 * kTileRows + r) * 4 + c % 2 * 2, &high, 2);
      else
        std::memcpy(out + (c * kTileRows + r) * 4, &weight, 4);
    }
}

}  // namespace

TilePacking::TilePacking(const WeightSource& source, std::byte* memory)
    : source_(source),
      record_(layout::record_of(source.format)),
      groups_((source.k + kGroup - 1) / kGroup),
      memory_(memory),
      bad_row_(source.n) {}

TilePacking::Rows TilePacking::make_rows() const {
  Rows rows{groups_ * kGroup, groups_ * std::max(record_.subgroups, 1), {}, {}, {}, {}};
  if (is_grouped(source_.format)) {
    rows.codes.resize(static_cast<std::size_t>(kTileRows * rows.k));
    rows.scales.resize(static_cast<std::size_t>(kTileRows * rows.groups));
    rows.minimums.resize(rows.scales.size());
  } else {
    rows.floats.resize(static_cast<std::size_t>(kTileRows * rows.k));
  }
  return rows;
}

void TilePacking::pack(std::int64_t tile, Rows& rows) {
  const std::int64_t first = tile * kTileRows;
  const int count = static_cast<int>(std::min<std::int64_t>(kTileRows, source_.n - first));
  for (int i = 0; i < count; ++i)
    read_row(rows, i, first + i);
  if (count < kTileRows) clear(rows, count);
  for (std::int64_t group = 0; group < groups_; ++group)
    put_group(rows, group, memory_ + (tile * groups_ + group) * record_.bytes());
}

void TilePacking::read_row(Rows& rows, int i, std::int64_t row) {
  if (is_grouped(source_.format))
    source_.read_groups(row, rows.codes.data() + i * rows.k, rows.scales.data() + i * rows.groups,
                        rows.minimums.data() + i * rows.groups);
  else
    source_.read_floats(row, rows.floats.data() + i * rows.k);
  if (fits(rows, i)) return;
  auto seen = bad_row_.load();
  while (row < seen && !bad_row_.compare_exchange_weak(seen, row)) {
  }
}

bool TilePacking::fits(const Rows& rows, int i) const {
  if (source_.format == WeightFormat::f32) return true;
  if (source_.format == WeightFormat::bf16) {
    const float* weights = rows.floats.data() + i * rows.k;
    return std::all_of(weights, weights + source_.k, exact_in_bf16);
  }
  int beyond_four_bits = 0;
  for (const auto* code = rows.codes.data() + i * rows.k;
       code != rows.codes.data() + (i + 1) * rows.k; ++code)
    beyond_four_bits |= *code & ~15;
  const bool four_bits = record_.code_bytes == kTileRows * kGroup / 2;
  return (!four_bits || !beyond_four_bits) && numbers_fit(rows, i);
}

bool TilePacking::numbers_fit(const Rows& rows, int i) const {
  if (record_.scale_bytes == 4) return true;
  const auto fit = [&](const std::vector<float>& numbers) {
    const float* first = numbers.data() + i * rows.groups;
    return std::all_of(first, first + rows.groups, exact_in_half);
  };
  return fit(rows.scales) && (!record_.minimum || fit(rows.minimums));
}

void TilePacking::put_group(const Rows& rows, std::int64_t group, std::byte* out) const {
  if (!is_grouped(source_.format))
    return put_floats(source_.format, rows.floats.data() + group * kGroup, rows.k, out);
  for (int s = 0; s < record_.subgroups; ++s)
    put_scales(record_, rows.scales.data() + group * record_.subgroups + s, rows.groups,
               out + s * kTileRows * record_.scale_bytes);
  if (record_.minimum)
    put_scales(record_, rows.minimums.data() + group, rows.groups, out + record_.scales_bytes());
  const std::int8_t* codes = rows.codes.data() + group * kGroup;
  if (record_.code_bytes == kTileRows * kGroup)
    put_codes8(codes, rows.k, out + record_.codes_at());
  else
    put_codes4(codes, rows.k, out + record_.codes_at());
}

}  // namespace troupe::kernels
