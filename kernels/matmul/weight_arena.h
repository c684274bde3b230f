#pragma once
#include "kernels/matmul/huge_buffer.h"
#include "troupe/api/result.h"

#include <cstddef>
#include <memory>

namespace troupe::kernels {

/// Memory for the matrices of one model, side by side in pages of 2 MiB: a matrix smaller than such
/// a page has a part of one. Small pages cost a third of the speed of reading. For one thread at a
/// time.
class WeightArena {
 public:
  /// Zeroed memory, aligned to 64 bytes, that lives as long as the pointer or any other of this
  /// arena does. Errors: resource_exhausted.
  Result<std::shared_ptr<std::byte>> allocate(std::size_t bytes);

 private:
  std::shared_ptr<HugeBuffer> buffer_;
  std::size_t used_ = 0;
};

}  // namespace troupe::kernels
