#include "block_pool.h"

#include "troupe/api/check.h"

#include <string>

namespace troupe::paged {
namespace {

tl::unexpected<Error> broken(std::size_t block, const std::string& what) {
  return fail(ErrorCode::internal, "block " + std::to_string(block) + ": " + what);
}

}  // namespace

void BlockPool::reset(std::size_t num_blocks) {
  owners_.assign(num_blocks, 0);
  cached_.assign(num_blocks, false);
  links_.reset(num_blocks);
  oldest_first_ = {};
  num_cached_ = 0;
  free_.clear();
  free_.reserve(num_blocks);
  for (std::size_t i = num_blocks; i > 0; --i)
    free_.push_back(BlockId{static_cast<std::uint32_t>(i - 1)});
}

BlockId BlockPool::take() {
  TROUPE_CHECK(!free_.empty());
  const BlockId block = free_.back();
  free_.pop_back();
  TROUPE_DCHECK(owners_[block.value] == 0);
  owners_[block.value] = 1;
  return block;
}

void BlockPool::add_owner(BlockId block) {
  TROUPE_CHECK(block.value < size() && (owners_[block.value] > 0 || cached_[block.value]));
  if (cached_[block.value]) uncache(block);
  ++owners_[block.value];
}

void BlockPool::release(BlockId block, bool keep) {
  TROUPE_CHECK(block.value < size() && owners_[block.value] > 0);
  if (--owners_[block.value] > 0) return;
  if (!keep) return free_.push_back(block);
  cached_[block.value] = true;
  links_.push_back(oldest_first_, block);
  ++num_cached_;
}

void BlockPool::uncache(BlockId block) {
  TROUPE_CHECK(cached_[block.value]);
  cached_[block.value] = false;
  links_.remove(oldest_first_, block);
  --num_cached_;
}

void BlockPool::touch(BlockId block) {
  TROUPE_CHECK(cached_[block.value]);
  links_.remove(oldest_first_, block);
  links_.push_back(oldest_first_, block);
}

BlockId BlockPool::oldest_cached() const {
  TROUPE_CHECK(num_cached_ > 0);
  return BlockId{oldest_first_.front};
}

void BlockPool::discard(BlockId block) {
  uncache(block);
  free_.push_back(block);
}

Result<void> BlockPool::check_cached() const {
  std::size_t num_listed = 0;
  for (auto block = oldest_first_.front; block != BlockList::kEnd; block = links_.next(block)) {
    if (!cached_[block]) return broken(block, "in the list of cached blocks, but not marked so");
    if (++num_listed > num_cached_) return broken(block, "the list of cached blocks is too long");
  }
  if (num_listed == num_cached_) return {};
  return fail(ErrorCode::internal, std::to_string(num_listed) + " cached blocks in the list, " +
                                       std::to_string(num_cached_) + " counted");
}

Result<void> BlockPool::check(const std::vector<std::uint32_t>& counted_owners) const {
  std::vector<bool> free(size(), false);
  for (const BlockId block : free_) {
    if (block.value >= size()) return broken(block.value, "free, but not of this pool");
    if (free[block.value]) return broken(block.value, "twice in the free list");
    free[block.value] = true;
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (owners_[i] != counted_owners[i])
      return broken(i, std::to_string(owners_[i]) + " owners in the books, " +
                           std::to_string(counted_owners[i]) + " tables hold it");
    const int states = (free[i] ? 1 : 0) + (cached_[i] ? 1 : 0) + (owners_[i] > 0 ? 1 : 0);
    if (states > 1)
      return broken(i, owners_[i] > 0 ? "free or cached, but has owners" : "both free and cached");
    if (states == 0) return broken(i, "neither free nor cached nor owned");
  }
  return check_cached();
}

}  // namespace troupe::paged
