#include "kernels/matmul/packed_matrix.h"

#include "kernels/matmul/half.h"
#include "kernels/matmul/layout.h"
#include "kernels/matmul/tile_packing.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace troupe::kernels {
namespace {

using layout::kGroup;
using layout::kTileRows;

/// The record of one tile and group, read number by number.
struct RecordReader {
  layout::Record record;
  const std::byte* data;

  float f32(int at) const {
    float value;
    std::memcpy(&value, data + at, 4);
    return value;
  }
  std::uint16_t u16(int at) const {
    std::uint16_t value;
    std::memcpy(&value, data + at, 2);
    return value;
  }
  float bf16(int at) const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(u16(at)) << 16);
  }

  /// Scale or minimum of row r, in the array that begins at `at`.
  float number(int at, int r) const {
    return record.scale_bytes == 2 ? float_from_half(u16(at + r * 2)) : f32(at + r * 4);
  }
  /// The code of row r and column c, counted from its zero point.
  int code(int r, int c) const {
    const auto byte = [&](int at) { return static_cast<int>(data[record.codes_at() + at]); };
    if (record.code_bytes == kTileRows * kGroup) return byte(c / 4 * 64 + r * 4 + c % 4) - 128;
    return (byte(c / 8 * 64 + r * 4 + c % 4) >> (c / 4 % 2 * 4) & 15) - (record.minimum ? 0 : 8);
  }
};

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

  TilePacking packing(source, matrix.memory_.get());
  team.run([&](int) {
    auto rows = packing.make_rows();
    const auto tiles = matrix.num_tiles();
    for (auto tile = team.next_chunk(tiles); tile >= 0; tile = team.next_chunk(tiles))
      packing.pack(tile, rows);
  });
  if (packing.first_bad_row() < source.n)
    return fail(ErrorCode::invalid_argument,
                "row " + std::to_string(packing.first_bad_row()) +
                    " of a weight matrix does not fit the packed format " +
                    std::string(to_string(source.format)) +
                    " exactly (a code, scale or weight is out of its range)");
  return matrix;
}

float PackedMatrix::weight(std::int64_t row, std::int64_t column) const {
  const layout::Record record = layout::record_of(format_);
  const RecordReader reader{record, tile(row / kTileRows) + column / kGroup * record.bytes()};
  const auto r = static_cast<int>(row % kTileRows), c = static_cast<int>(column % kGroup);
  if (format_ == WeightFormat::f32) return reader.f32((c * kTileRows + r) * 4);
  if (format_ == WeightFormat::bf16) return reader.bf16((c / 2 * kTileRows + r) * 4 + c % 2 * 2);
  const float scale = reader.number(c / group_size(format_) * kTileRows * record.scale_bytes, r);
  const float minimum = record.minimum ? reader.number(record.scales_bytes(), r) : 0;
  return std::fma(scale, static_cast<float>(reader.code(r, c)), minimum);
}

}  // namespace troupe::kernels
