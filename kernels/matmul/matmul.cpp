#include "kernels/matmul/matmul.h"

#include "kernels/matmul/chunks.h"
#include "kernels/matmul/layout.h"
#include "troupe/api/check.h"

#include <algorithm>

namespace troupe::kernels {
namespace {

/// Rows of activations that share one pass over the tiles of a chunk: few enough to stay in the
/// second-level cache.
constexpr std::int64_t kPartRows = 128;
/// Weights that are kept in the cache while the blocks of a part pass over them.
constexpr std::int64_t kCachedWeights = 64 << 10;
/// No chunk reads fewer weights per row than this: taking a chunk costs about 0.1 us.
constexpr std::int64_t kSmallestChunk = 16 << 10;

/// The work as one line of units, a unit being one tile with one part of the rows. Outputs follow
/// each other, in an output the parts do, in a part the tiles do.
class Units {
 public:
  Units(const PackedActivations& x, std::span<const MatmulOutput> outputs)
      : x_(x), outputs_(outputs), num_parts_((x.rows() + kPartRows - 1) / kPartRows) {}

  std::int64_t count() const {
    std::int64_t units = 0;
    for (const auto& output : outputs_)
      units += output.weights->num_tiles() * num_parts_;
    return units;
  }

  /// The fewest units worth a chunk of their own.
  std::int64_t smallest_chunk() const {
    const std::int64_t tile_bytes = outputs_.front().weights->tile_bytes();
    const std::int64_t rows = std::min(x_.rows(), kPartRows);
    return std::max<std::int64_t>(2, kSmallestChunk / (tile_bytes * rows));
  }

  void compute(std::int64_t begin, std::int64_t end) const {
    for (const auto& output : outputs_) {
      const std::int64_t tiles = output.weights->num_tiles();
      for (std::int64_t part = 0; part < num_parts_; ++part, begin -= tiles, end -= tiles) {
        if (end <= 0) return;
        if (begin < tiles)
          compute_part(output, part, std::max<std::int64_t>(begin, 0), std::min(end, tiles));
      }
    }
  }

 private:
  void compute_part(const MatmulOutput& output, std::int64_t part, std::int64_t tile,
                    std::int64_t last) const {
    const std::int64_t step =
        std::max<std::int64_t>(2, kCachedWeights / output.weights->tile_bytes());
    for (; tile < last; tile += step) {
      const std::int64_t count = std::min(step, last - tile);
      for (std::int64_t i = first_block(part); i < x_.num_blocks(); ++i) {
        const auto block = x_.block(i);
        if (block.first_row >= (part + 1) * kPartRows) break;
        compute_block(output, block, tile, count);
      }
    }
  }

  /// Parts are whole blocks: kPartRows is a multiple of every block size.
  std::int64_t first_block(std::int64_t part) const {
    return part * kPartRows >> x_.variant().largest_block_log2[static_cast<int>(x_.precision())];
  }

  void compute_block(const MatmulOutput& output, const PackedActivations::Block& block,
                     std::int64_t tile, std::int64_t count) const {
    const PackedMatrix& w = *output.weights;
    const std::int64_t column = tile * layout::kTileRows;
    const auto kernel =
        x_.variant()
            .tiles[static_cast<int>(w.format())][static_cast<int>(x_.precision())][block.size_log2];
    kernel({.weights = w.tile(tile),
            .num_tiles = count,
            .tile_bytes = w.tile_bytes(),
            .num_groups = w.num_groups(),
            .activations = block.data,
            .y = output.y + block.first_row * output.y_stride + column,
            .y_stride = output.y_stride,
            .num_outputs = std::min(w.n() - column, count * layout::kTileRows),
            .accumulate = output.accumulate});
  }

  const PackedActivations& x_;
  std::span<const MatmulOutput> outputs_;
  std::int64_t num_parts_;
};

void check(const PackedActivations& x, std::span<const MatmulOutput> outputs) {
  for ([[maybe_unused]] const auto& output : outputs) {
    TROUPE_DCHECK(output.weights->k() == x.k());
    TROUPE_DCHECK(precision_for(output.weights->format(), x.precision()) == x.precision());
    TROUPE_DCHECK(x.rows() <= 1 || output.y_stride >= output.weights->n());
  }
  static_cast<void>(x);
}

}  // namespace

void matmul(ThreadTeam& team, const PackedActivations& x, std::span<const MatmulOutput> outputs) {
  check(x, outputs);
  if (outputs.empty() || x.rows() == 0) return;
  const Units units(x, outputs);
  const Chunks chunks(units.count(), units.smallest_chunk(), team.size());
  const std::int64_t count = chunks.count();
  for (auto chunk = team.next_chunk(count); chunk >= 0; chunk = team.next_chunk(count)) {
    const auto [begin, end] = chunks.range(chunk);
    units.compute(begin, end);
  }
}

void matmul(const PackedActivations& x, std::span<const MatmulOutput> outputs) {
  check(x, outputs);
  if (outputs.empty() || x.rows() == 0) return;
  const Units units(x, outputs);
  units.compute(0, units.count());
}

}  // namespace troupe::kernels
