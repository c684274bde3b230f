// Replaces the program's operator new: what plugins allocate comes by here as well.
#include "failing_allocation.h"

#include <cstdlib>
#include <new>

namespace {

constexpr int kNever = 0;
thread_local int countdown = kNever;

void* allocate(std::size_t size) {
  if (countdown != kNever && --countdown == kNever) throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
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
  return std::malloc(size == 0 ? 1 : size);
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

namespace troupe::simulation {

FailingAllocation::FailingAllocation(int nth) {
  countdown = nth;
}

FailingAllocation::~FailingAllocation() {
  countdown = kNever;
}

bool FailingAllocation::fired() const {
  return countdown == kNever;
}

}  // namespace troupe::simulation
