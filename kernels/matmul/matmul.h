#pragma once
#include "kernels/matmul/packed_activations.h"
#include "kernels/matmul/packed_matrix.h"
#include "kernels/matmul/variant.h"
#include "kernels/matmul/weight_format.h"
#include "troupe/device/thread_team.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace troupe::kernels {

/// One product over given activations x[rows, k]: y[rows, n] = x W^T, or y += x W^T. Float32, row r
/// of y at y + r * y_stride. Bits: y[r, j] depends on row r of x, row j of W, the precision and
/// (accumulating) the old y[r, j] alone: not on other rows, their number, the thread count or the
/// cutting into chunks. In every precision all instruction sets give the same bits.
struct MatmulOutput {
  const PackedMatrix* weights = nullptr;
  float* y = nullptr;
  std::int64_t y_stride = 0;
  bool accumulate = false;
};

/// Computes several products over the same activations with all workers of `team`. To be called by
/// every worker inside ThreadTeam::run, with equal arguments; like ThreadTeam::next_chunk it needs
/// a barrier (or the end of run) before the next use of chunks and before y is read. Allocates
/// nothing. Pre: the activations are packed, and in the precision precision_for(weights->format(),
/// wanted); their k is weights->k() (DCHECKs); the ys do not overlap.
void matmul(ThreadTeam& team, const PackedActivations& activations,
            std::span<const MatmulOutput> outputs);

/// As above for a single thread outside of a team.
void matmul(const PackedActivations& activations, std::span<const MatmulOutput> outputs);

/// The specification: y[rows, n] = round(x) W^T with x[rows, k] rounded as `precision` says, summed
/// in double. Scalar and slow; used by the tests. Pre: precision == precision_for(weights.format(),
/// precision).
void matmul_reference(const float* x, std::int64_t x_stride, std::int64_t rows, Precision precision,
                      const PackedMatrix& weights, float* y, std::int64_t y_stride);

}  // namespace troupe::kernels
