#include "plugins/executor/transformer/swap_tiers.h"

#include <algorithm>
#include <string>
#include <utility>

namespace troupe::transformer {
namespace {

constexpr std::int64_t kMostSlots = std::int64_t{1} << 31;

}  // namespace

Result<SwapTiers> SwapTiers::create(const Options& options, const KvPool& pool,
                                    std::int32_t context, FileCalls calls) {
  SwapTiers tiers;
  tiers.block_bytes_ = pool.block_bytes();
  tiers.num_host_slots_ =
      std::min({options.swap_bytes / tiers.block_bytes_, most_useful_blocks(context), kMostSlots});
  const auto in_file = std::min(options.swap_file_bytes / tiers.block_bytes_, kMostSlots);
  auto slots = SwapSlots::allocate(tiers.num_host_slots_ + in_file);
  if (!slots) return fail(slots.error());
  tiers.slots_ = std::move(*slots);
  auto host = kernels::HugeBuffer::allocate(
      static_cast<std::size_t>(tiers.num_host_slots_ * tiers.block_bytes_));
  if (!host) return fail_at("swap_bytes", host.error());
  tiers.host_ = std::move(*host);
  if (in_file == 0) return tiers;
  auto file = SwapFile::create(options.swap_dir, std::move(calls));
  if (!file) return fail(file.error());
  tiers.file_ = std::move(*file);
  tiers.staged_.resize(static_cast<std::size_t>(tiers.block_bytes_));
  return tiers;
}

std::span<std::byte> SwapTiers::host_slot(std::uint32_t slot) {
  return {host_.data() + slot * block_bytes_, static_cast<std::size_t>(block_bytes_)};
}

Result<void> SwapTiers::store(const BlockSwap& swap, KvPool& pool) {
  const bool in_host = swap.slot < num_host_slots_;
  const auto content = in_host ? host_slot(swap.slot) : std::span(staged_);
  pool.read_block(swap.block, content.data());
  if (!in_host) {
    if (auto written = file_.write(file_offset(swap.slot), content); !written) {
      slots_.mark_failed(swap.slot);
      return written;
    }
  }
  slots_.mark_stored(swap.slot, content);
  return {};
}

Result<std::span<const std::byte>> SwapTiers::content_of(std::uint32_t slot) {
  if (slot < num_host_slots_) return std::span<const std::byte>(host_slot(slot));
  if (auto read = file_.read(file_offset(slot), staged_); !read) return fail(read.error());
  return std::span<const std::byte>(staged_);
}

Result<void> SwapTiers::load(const BlockSwap& swap, KvPool& pool) {
  if (slots_.state(swap.slot) == SlotState::failed)
    return fail(ErrorCode::internal, "it has no content, since storing it failed");
  const auto content = content_of(swap.slot);
  if (!content) return fail(content.error());
  if (auto whole = slots_.verify(swap.slot, *content); !whole) return whole;
  pool.write_block(swap.block, content->data());
  return {};
}

}  // namespace troupe::transformer
