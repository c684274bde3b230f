#include "paged_cache.h"

#include "troupe/core/block_math.h"

#include <algorithm>
#include <string>

namespace troupe::paged {

Result<void> PagedCache::configure(const Params& params) {
  limit_ = params.get_int("num_blocks");
  share_prefixes_ = params.get_bool("prefix_cache");
  return {};
}

Result<void> PagedCache::start(Resources& resources) {
  const auto info = resources.executor_info();
  if (!info) return fail_at("kv_cache paged", info.error());
  if (info->num_blocks < 1 || info->num_blocks >= UINT32_MAX)
    return fail(ErrorCode::invalid_argument,
                "the executor has " + std::to_string(info->num_blocks) +
                    " KV blocks; expected 1 to 4294967294; give it more memory");
  if (limit_ > info->num_blocks)
    return fail(ErrorCode::invalid_argument,
                "num_blocks = " + std::to_string(limit_) + ": the executor has only " +
                    std::to_string(info->num_blocks) + " blocks; 0 takes all of them");
  if (info->num_host_slots < 0 || info->num_host_slots > UINT32_MAX || info->num_file_slots < 0 ||
      info->num_file_slots > UINT32_MAX - info->num_host_slots)
    return fail(ErrorCode::invalid_argument,
                "the executor has " + std::to_string(info->num_host_slots) + " host and " +
                    std::to_string(info->num_file_slots) +
                    " file slots to swap to; expected 0 to 4294967295 in all");
  window_ = info->sliding_window;
  clear(static_cast<std::size_t>(limit_ == 0 ? info->num_blocks : limit_), info->num_host_slots,
        info->num_file_slots);
  return {};
}

void PagedCache::clear(std::size_t num_blocks, std::int64_t num_host_slots,
                       std::int64_t num_file_slots) {
  sequences_.clear();
  swapped_.clear();
  swapped_out_.clear();
  filled_.clear();
  pool_.reset(num_blocks);
  index_.reset(num_blocks);
  slots_.reset(num_host_slots, num_file_slots);
}

void PagedCache::stop() noexcept {
  clear(0, 0, 0);
}

void PagedCache::reset() {
  clear(pool_.size(), slots_.num_host(), slots_.num_file());
}

void PagedCache::reserve(const BlockRequest& request, BlockGrant& out) {
  out.clear();
  out.step = request.step;
  if (request.last_step_failed) distrust_last_grant();
  swapped_out_.clear();
  filled_.clear();
  for (const auto& computed : request.publishes)
    publish(computed);
  for (const auto& given_back : request.releases)
    release(given_back, out);
  for (const auto& want : request.wants) {
    TROUPE_CHECK(want.num_tokens >= 0 && want.first_needed >= 0);
    const auto found = sequences_.find(want.sequence);
    out.grants.push_back(found == sequences_.end() ? admit(want, out) : grow(found->second, want));
  }
}

BlockId PagedCache::take() {
  if (pool_.num_free() == 0) {
    const BlockId oldest = pool_.oldest_cached();
    index_.remove(oldest);
    pool_.discard(oldest);
    ++counts_.evictions;
  }
  return pool_.take();
}

void PagedCache::leave_window(Sequence& sequence, std::int32_t first_needed) {
  const auto end = std::min(static_cast<std::int32_t>(block_index(first_needed)),
                            static_cast<std::int32_t>(sequence.table.size()));
  for (; sequence.first_held < end; ++sequence.first_held) {
    auto& block = sequence.table[static_cast<std::size_t>(sequence.first_held)];
    give_back(block);
    block = kNoBlock;
  }
}

BlockGrant::Grant PagedCache::grow(Sequence& sequence, const Want& want) {
  leave_window(sequence, want.first_needed);
  Grant grant;
  grant.sequence = want.sequence;
  grant.first_held_block = sequence.first_held;
  grant.first_new_block = static_cast<std::int32_t>(sequence.table.size());
  const auto missing = blocks_for(want.num_tokens) - grant.first_new_block;
  if (missing > num_available()) {
    grant.short_of_blocks = static_cast<std::int32_t>(missing - num_available());
    return grant;
  }
  sequence.num_asked = std::max(sequence.num_asked, want.num_tokens);
  if (missing <= 0) return grant;
  grant.new_blocks.reserve(static_cast<std::size_t>(missing));
  for (std::int64_t i = 0; i < missing; ++i)
    grant.new_blocks.push_back(take());
  sequence.table.insert(sequence.table.end(), grant.new_blocks.begin(), grant.new_blocks.end());
  return grant;
}

}  // namespace troupe::paged
