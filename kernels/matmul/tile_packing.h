#pragma once
#include "kernels/matmul/layout.h"
#include "kernels/matmul/packed_matrix.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::kernels {

/// One matrix on its way from rows to tiles; shared by the workers that pack it.
class TilePacking {
 public:
  /// Pre: `memory` has num_tiles * num_groups records of the format and is zeroed.
  TilePacking(const WeightSource& source, std::byte* memory);

  /// Where one worker collects the 16 rows of a tile before they are interleaved. Zeros where no
  /// row is.
  struct Rows {
    std::int64_t k;
    std::int64_t groups;
    std::vector<float> floats;
    std::vector<std::int8_t> codes;
    std::vector<float> scales;
    std::vector<float> minimums;
  };
  Rows make_rows() const;

  /// Reads the rows of a tile and writes its records. Any thread, each with Rows of its own.
  void pack(std::int64_t tile, Rows& rows);

  /// The lowest row that does not fit the format; n when all did.
  std::int64_t first_bad_row() const { return bad_row_.load(); }

 private:
  void read_row(Rows& rows, int i, std::int64_t row);
  bool fits(const Rows& rows, int i) const;
  bool numbers_fit(const Rows& rows, int i) const;
  void put_group(const Rows& rows, std::int64_t group, std::byte* out) const;

  const WeightSource& source_;
  layout::Record record_;
  std::int64_t groups_;
  std::byte* memory_;
  std::atomic<std::int64_t> bad_row_;
};

}  // namespace troupe::kernels
