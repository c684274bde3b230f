#include "kernels/matmul/huge_buffer.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <utility>

namespace troupe::kernels {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

HugeBuffer::HugeBuffer(HugeBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapping_(std::exchange(other.mapping_, {})) {}

HugeBuffer& HugeBuffer::operator=(HugeBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapping_, other.mapping_);
  return *this;
}

HugeBuffer::~HugeBuffer() {
  if (!mapping_.empty()) munmap(mapping_.data(), mapping_.size());
}

Result<HugeBuffer> HugeBuffer::allocate(std::size_t bytes) {
  HugeBuffer buffer;
  if (bytes == 0) return buffer;
  const std::size_t mapped = (bytes + 2 * kHugePage - 1) / kHugePage * kHugePage;
  void* memory = bytes > SIZE_MAX - 2 * kHugePage ? MAP_FAILED
                                                  : mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail(ErrorCode::resource_exhausted,
                "no " + std::to_string(bytes) + " bytes of memory for weights: " +
                    std::strerror(ENOMEM) + "; try a smaller model or a smaller quantization");
  buffer.mapping_ = {static_cast<std::byte*>(memory), mapped};
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  buffer.data_ = buffer.mapping_.data() + ((kHugePage - address % kHugePage) % kHugePage);
  buffer.size_ = bytes;
  // Advice only: where it is refused the pages are small and all else is the same.
  madvise(buffer.data_, (bytes + kHugePage - 1) / kHugePage * kHugePage, MADV_HUGEPAGE);
  return buffer;
}

}  // namespace troupe::kernels
