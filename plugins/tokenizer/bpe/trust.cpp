#include "trust.h"

#include <algorithm>

namespace troupe::bpe {

void Trust::append(std::size_t length, bool trusted) {
  if (trusted && length > 0) {
    if (!stretches_.empty() && stretches_.back().end == size_)
      stretches_.back().end += length;
    else
      stretches_.push_back({size_, size_ + length});
  }
  size_ += length;
}

std::size_t Trust::end_of_stretch(std::size_t offset) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), offset,
                       [](std::size_t at, const Stretch& stretch) { return at < stretch.begin; });
  if (after == stretches_.begin()) return offset;
  return std::max(offset, std::prev(after)->end);
}

}  // namespace troupe::bpe
