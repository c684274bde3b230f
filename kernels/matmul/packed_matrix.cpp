#include "kernels/matmul/packed_matrix.h"

#include "kernels/matmul/half.h"
#include "kernels/matmul/layout.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace troupe::kernels {
namespace {

using layout::kGroup;
using layout::kTileRows;

/// What the workers of one pack share. A row that cannot be packed is remembered, the lowest one
/// wins.
struct Packing {
  const WeightSource& source;
  layout::Record record;
  std::int64_t groups;
  std::int64_t tile_bytes;
  std::byte* memory;
  std::atomic<std::int64_t> bad_row;

  void refuse(std::int64_t row) {
    auto seen = bad_row.load();
    while (row < seen && !bad_row.compare_exchange_weak(seen, row)) {
    }
  }
};

/// Where one worker collects the 16 rows of a tile before they are interleaved. Zeros where no row
/// is.
struct TileRows {
  explicit TileRows(const Packing& p)
      : k(p.groups * kGroup),
        groups(p.groups * std::max(p.record.subgroups, 1)),
        floats(is_grouped(p.source.format) ? 0 : static_cast<std::size_t>(kTileRows * k)),
        codes(is_grouped(p.source.format) ? static_cast<std::size_t>(kTileRows * k) : 0),
        scales(codes.empty() ? 0 : static_cast<std::size_t>(kTileRows * groups)),
        minimums(scales.size()) {}
  std::int64_t k;
  std::int64_t groups;
  std::vector<float> floats;
  std::vector<std::int8_t> codes;
  std::vector<float> scales;
  std::vector<float> minimums;
};

void clear(TileRows& rows, int first) {
  const auto clear_from = [&](auto& values, std::int64_t width) {
    if (!values.empty()) std::fill(values.begin() + first * width, values.end(), 0);
  };
  clear_from(rows.floats, rows.k);
  clear_from(rows.codes, rows.k);
  clear_from(rows.scales, rows.groups);
  clear_from(rows.minimums, rows.groups);
}

bool fits(const Packing& p, const TileRows& rows, int i) {
  if (p.source.format == WeightFormat::bf16)
    return std::all_of(
        rows.floats.data() + i * rows.k, rows.floats.data() + i * rows.k + p.source.k,
        [](float w) { return (std::bit_cast<std::uint32_t>(w) & 0xffff) == 0 || std::isnan(w); });
  if (!is_grouped(p.source.format)) return true;
  int out_of_range = 0;
  if (p.record.code_bytes == kTileRows * kGroup / 2)
    for (std::int64_t c = 0; c < rows.k; ++c)
      out_of_range |= rows.codes.data()[i * rows.k + c] & ~15;
  if (out_of_range) return false;
  if (p.record.scale_bytes == 4) return true;
  const auto exact = [](float v) {
    return float_from_half(half_from_exact(v)) == v || std::isnan(v);
  };
  const auto first = i * rows.groups, last = first + rows.groups;
  return std::all_of(rows.scales.data() + first, rows.scales.data() + last, exact) &&
         (!p.record.minimum ||
          std::all_of(rows.minimums.data() + first, rows.minimums.data() + last, exact));
}

void read_row(Packing& p, TileRows& rows, int i, std::int64_t row) {
  if (is_grouped(p.source.format))
    p.source.read_groups(row, rows.codes.data() + i * rows.k, rows.scales.data() + i * rows.groups,
                         rows.minimums.data() + i * rows.groups);
  else
    p.source.read_floats(row, rows.floats.data() + i * rows.k);
  if (!fits(p, rows, i)) p.refuse(row);
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

void put_group(const Packing& p, const TileRows& rows, std::int64_t group, std::byte* out) {
  const layout::Record& record = p.record;
  if (!is_grouped(p.source.format))
    return put_floats(p.source.format, rows.floats.data() + group * kGroup, rows.k, out);
  for (int s = 0; s < record.subgroups; ++s)
    put_scales(record, rows.scales.data() + group * record.subgroups + s, rows.groups,
               out + s * kTileRows * record.scale_bytes);
  if (record.minimum)
    put_scales(record, rows.minimums.data() + group, rows.groups, out + record.scales_bytes());
  const std::int8_t* codes = rows.codes.data() + group * kGroup;
  if (record.code_bytes == kTileRows * kGroup)
    put_codes8(codes, rows.k, out + record.codes_at());
  else
    put_codes4(codes, rows.k, out + record.codes_at());
}

void pack_tile(Packing& p, TileRows& rows, std::int64_t tile) {
  const std::int64_t first = tile * kTileRows;
  const int count = static_cast<int>(std::min<std::int64_t>(kTileRows, p.source.n - first));
  for (int i = 0; i < count; ++i)
    read_row(p, rows, i, first + i);
  if (count < kTileRows) clear(rows, count);
  for (std::int64_t group = 0; group < p.groups; ++group)
    put_group(p, rows, group, p.memory + tile * p.tile_bytes + group * p.record.bytes());
}

Result<void> check_shape(const WeightSource& source) {
  std::string shape = "[";
  shape.append(std::to_string(source.n)).append(", ").append(std::to_string(source.k)).append("]");
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  if (source.n <= 0 || source.k <= 0 || source.n >= kLimit || source.k >= kLimit)
    return fail(ErrorCode::invalid_argument,
                "a weight matrix of shape " + shape + ": both must be 1 to 2^31 - 1");
  if (is_grouped(source.format) && source.k % kGroup != 0)
    return fail(ErrorCode::invalid_argument,
                "a weight matrix of shape " + shape +
                    " in groups of 32 columns: the columns must be a multiple of 32");
  return {};
}

}  // namespace

Result<PackedMatrix> PackedMatrix::pack(const WeightSource& source, ThreadTeam& team) {
  WeightArena arena;
  return pack(source, team, arena);
}

Result<PackedMatrix> PackedMatrix::pack(const WeightSource& source, ThreadTeam& team,
                                        WeightArena& arena) {
  if (auto ok = check_shape(source); !ok) return fail(ok.error());
  PackedMatrix matrix;
  matrix.n_ = source.n;
  matrix.k_ = source.k;
  matrix.format_ = source.format;
  const layout::Record record = layout::record_of(source.format);
  matrix.tile_bytes_ = matrix.num_groups() * record.bytes();
  auto memory = arena.allocate(matrix.bytes());
  if (!memory) return fail(memory.error());
  matrix.memory_ = std::move(*memory);

  Packing packing{source,    record, matrix.num_groups(), matrix.tile_bytes_, matrix.memory_.get(),
                  {source.n}};
  team.run([&](int) {
    TileRows rows(packing);
    const auto tiles = matrix.num_tiles();
    for (auto tile = team.next_chunk(tiles); tile >= 0; tile = team.next_chunk(tiles))
      pack_tile(packing, rows, tile);
  });
  if (packing.bad_row < source.n)
    return fail(ErrorCode::invalid_argument,
                "row " + std::to_string(packing.bad_row) +
                    " of a weight matrix does not fit the packed format " +
                    std::string(to_string(source.format)) +
                    " exactly (a code, scale or weight is out of its range)");
  return matrix;
}

float PackedMatrix::weight(std::int64_t row, std::int64_t column) const {
  const layout::Record record = layout::record_of(format_);
  const std::byte* group = tile(row / kTileRows) + column / kGroup * record.bytes();
  const auto r = static_cast<int>(row % kTileRows), c = static_cast<int>(column % kGroup);
  const auto number = [&](const std::byte* at) {
    std::uint16_t half = 0;
    float value = 0;
    std::memcpy(record.scale_bytes == 2 ? static_cast<void*>(&half) : &value,
                at + r * record.scale_bytes, static_cast<std::size_t>(record.scale_bytes));
    return record.scale_bytes == 2 ? float_from_half(half) : value;
  };
  const auto byte = [&](int at) { return static_cast<int>(group[record.codes_at() + at]); };
  if (format_ == WeightFormat::bf16) {
    const int at = (c / 2 * kTileRows + r) * 4 + c % 2 * 2;
    return std::bit_cast<float>(static_cast<std::uint32_t>(byte(at) | byte(at + 1) << 8) << 16);
  }
  float value = 0;
  if (format_ == WeightFormat::f32) {
    std::memcpy(&value, group + (c * kTileRows + r) * 4, 4);
    return value;
  }
  const float scale = number(group + (c / group_size(format_)) * kTileRows * record.scale_bytes);
  const float minimum = record.minimum ? number(group + record.scales_bytes()) : 0;
  if (record.code_bytes == kTileRows * kGroup) {
    const int code = byte(c / 4 * 64 + r * 4 + c % 4) - 128;
    return std::fma(scale, static_cast<float>(code), minimum);
  }
  const int code =
      (byte(c / 8 * 64 + r * 4 + c % 4) >> (c / 4 % 2 * 4) & 15) - (record.minimum ? 0 : 8);
  return std::fma(scale, static_cast<float>(code), minimum);
}

}  // namespace troupe::kernels
