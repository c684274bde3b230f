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

void BlockPool::release(BlockId block) {
  TROUPE_CHECK(block.value < owners_.size() && owners_[block.value] > 0);
  if (--owners_[block.value] == 0) free_.push_back(block);
}

Result<void> BlockPool::check(const std::vector<std::uint32_t>& counted_owners) const {
  std::vector<bool> free(owners_.size(), false);
  for (const BlockId block : free_) {
    if (block.value >= owners_.size()) return broken(block.value, "free, but not of this pool");
    if (free[block.value]) return broken(block.value, "twice in the free list");
    free[block.value] = true;
  }
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i] != counted_owners[i])
      return broken(i, std::to_string(owners_[i]) + " owners in the books, " +
                           std::to_string(counted_owners[i]) + " tables hold it");
    if (free[i] != (owners_[i] == 0))
      return broken(i, free[i] ? "free, but has owners" : "neither free nor owned");
  }
  return {};
}

}  // namespace troupe::paged
