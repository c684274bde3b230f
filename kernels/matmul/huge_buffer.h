#pragma once
#include "troupe/api/result.h"

#include <cstddef>
#include <span>

namespace troupe::kernels {

/// Zeroed memory for weights in pages of 2 MiB where the system grants them: a fault on a 4 KiB
/// page costs as much as reading the page many times over, and page-cache pages may be taken away
/// while in use.
class HugeBuffer {
 public:
  HugeBuffer() = default;
  HugeBuffer(HugeBuffer&& other) noexcept;
  HugeBuffer& operator=(HugeBuffer&& other) noexcept;
  ~HugeBuffer();

  /// Errors: resource_exhausted when the system has no such amount of memory.
  static Result<HugeBuffer> allocate(std::size_t bytes);

  /// Aligned to 2 MiB.
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::span<std::byte> mapping_;
};

}  // namespace troupe::kernels
