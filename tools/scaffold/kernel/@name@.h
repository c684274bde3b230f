#pragma once
#include <cstdint>

namespace troupe::kernels {

/// Operands. Shapes: `x` and `out` [rows, columns], float32, row after row.
struct @Name@Params {
  const float* x = nullptr;
  float* out = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// One sentence of what it computes. `out` may be `x`.
/// Each element of `out` depends on its own row only.
void @name@(const @Name@Params& params);

/// The specification: scalar, double accumulation, written to be read.
void @name@_reference(const @Name@Params& params);

}  // namespace troupe::kernels
