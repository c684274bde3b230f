#include "troupe/testing/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

constexpr int kNever = 0;
thread_local int countdown = kNever;
std::atomic<std::int64_t> allocations{0};

void* allocate_or_null(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size) {
  if (countdown != kNever && --countdown == kNever) throw std::bad_alloc();
  if (void* memory = allocate_or_null(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new[](std::size_t size) {
  return allocate(size);
}
// What std::stable_sort uses: left out, it would come from elsewhere and be given back here.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate_or_null(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace troupe::testing {

std::int64_t num_allocations() {
  return allocations.load(std::memory_order_relaxed);
}

FailingAllocation::FailingAllocation(int nth) {
  countdown = nth;
}

FailingAllocation::~FailingAllocation() {
  countdown = kNever;
}

bool FailingAllocation::fired() const {
  return countdown == kNever;
}

}  // namespace troupe::testing
