#include "piece_index.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace troupe::bpe {

PieceIndex::PieceIndex(std::size_t count) : slots_(std::bit_ceil(2 * count + 2)) {}

std::size_t PieceIndex::place(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = XXH3_64bits(text.data(), text.size()) & mask;
  while (slots_[i].id >= 0 && slots_[i].text != text)
    i = (i + 1) & mask;
  return i;
}

void PieceIndex::insert(std::string_view text, TokenId id) {
  if (2 * count_ >= slots_.size()) grow();
  Slot& slot = slots_[place(text)];
  if (slot.id >= 0) return;
  slot = {text, id};
  ++count_;
  longest_ = std::max(longest_, text.size());
}

void PieceIndex::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.id >= 0) slots_[place(slot.text)] = slot;
}

TokenId PieceIndex::find(std::string_view text) const {
  if (text.empty() || text.size() > longest_) return -1;
  return slots_[place(text)].id;
}

}  // namespace troupe::bpe
