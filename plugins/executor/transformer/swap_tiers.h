#pragma once
#include "kernels/matmul/huge_buffer.h"
#include "plugins/executor/transformer/kv_pool.h"
#include "plugins/executor/transformer/options.h"
#include "plugins/executor/transformer/swap_file.h"
#include "plugins/executor/transformer/swap_slots.h"
#include "troupe/api/blocks.h"
#include "troupe/api/result.h"

#include <cstdint>
#include <vector>

namespace troupe::transformer {

/// The lower tiers of the KV cache: slots of host memory, and after them slots of a file. Each
/// holds one block of all layers. What is stored comes back bit for bit, or as an error.
class SwapTiers {
 public:
  /// As many slots as Options::swap_bytes and swap_file_bytes have room for. Memory and file are
  /// taken as slots are first used. Errors: resource_exhausted; those of SwapFile::create.
  static Result<SwapTiers> create(const Options& options, const KvPool& pool, std::int32_t context,
                                  FileCalls calls = FileCalls::of_the_system());

  std::int64_t num_host_slots() const { return num_host_slots_; }
  std::int64_t num_file_slots() const { return slots_.count() - num_host_slots_; }
  const SwapSlots& slots() const { return slots_; }
  SwapSlots& slots() { return slots_; }
  SwapFile& file() { return file_; }
  /// Host memory of a slot. Pre: slot < num_host_slots().
  std::span<std::byte> host_slot(std::uint32_t slot);

  /// Stores the block in the slot. Errors: those of SwapFile::write; the slot is then failed.
  /// Pre, here and below: the block is in the pool and the slot in a tier.
  Result<void> store(const BlockSwap& swap, KvPool& pool);
  /// Brings the slot's content to the block; the slot keeps it. Pre: the slot was written once.
  /// Errors: internal (damaged content, or none since storing it failed); those of SwapFile::read.
  /// The block is then as it was.
  Result<void> load(const BlockSwap& swap, KvPool& pool);

 private:
  Result<std::span<const std::byte>> content_of(std::uint32_t slot);
  std::int64_t file_offset(std::uint32_t slot) const {
    return (slot - num_host_slots_) * block_bytes_;
  }

  std::int64_t block_bytes_ = 0;
  std::int64_t num_host_slots_ = 0;
  SwapSlots slots_;
  kernels::HugeBuffer host_;
  SwapFile file_;
  std::vector<std::byte> staged_;  // one block on its way to the file or back
};

}  // namespace troupe::transformer
