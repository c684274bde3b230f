#include "merge_table.h"

#include <bit>

namespace troupe::bpe {

MergeTable::MergeTable(std::size_t count)
    : slots_(std::bit_ceil(2 * count + 2)),
      mask_(slots_.size() - 1),
      shift_(64 - std::countr_zero(slots_.size())) {}

void MergeTable::insert(TokenId left, TokenId right, Merge merge) {
  const std::uint64_t key = key_of(left, right);
  std::size_t i = place(key);
  while (slots_[i].key != kEmpty) {
    if (slots_[i].key == key) return;
    i = (i + 1) & mask_;
  }
  slots_[i] = {key, merge};
}

}  // namespace troupe::bpe
