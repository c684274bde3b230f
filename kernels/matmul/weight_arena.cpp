#include "kernels/matmul/weight_arena.h"

#include <algorithm>

namespace troupe::kernels {
namespace {

/// What is not used of a buffer is never touched and costs no memory.
constexpr std::size_t kBufferBytes = std::size_t{64} << 20;
constexpr std::size_t kAlignment = 64;

}  // namespace

Result<std::shared_ptr<std::byte>> WeightArena::allocate(std::size_t bytes) {
  if (!buffer_ || bytes > buffer_->size() - used_) {
    auto buffer = HugeBuffer::allocate(std::max(bytes, kBufferBytes));
    if (!buffer) return fail(buffer.error());
    buffer_ = std::make_shared<HugeBuffer>(std::move(*buffer));
    used_ = 0;
  }
  std::shared_ptr<std::byte> memory(buffer_, buffer_->data() + used_);
  used_ = std::min(buffer_->size(), (used_ + bytes + kAlignment - 1) / kAlignment * kAlignment);
  return memory;
}

}  // namespace troupe::kernels
