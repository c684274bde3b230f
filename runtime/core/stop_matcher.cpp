#include "troupe/core/stop_matcher.h"

#include "troupe/api/check.h"

namespace troupe {

std::optional<StopMatch> StopMatcher::push(std::string_view bytes) {
  TROUPE_CHECK(!matched_);
  lengths_.push_back(static_cast<std::uint32_t>(bytes.size()));
  held_bytes_ += bytes.size();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    state_ = strings_->next(state_, static_cast<std::uint8_t>(bytes[i]));
    const auto index = strings_->match(state_);
    if (index == StopStrings::kNone) continue;
    matched_ = true;
    return StopMatch{index, strings_->length(index) + (bytes.size() - 1 - i)};
  }
  return std::nullopt;
}

std::size_t StopMatcher::release() {
  const std::size_t needed = strings_->depth(state_);
  std::size_t count = 0;
  while (!lengths_.empty() && held_bytes_ - lengths_.front() >= needed) {
    held_bytes_ -= lengths_.front();
    lengths_.pop_front();
    ++count;
  }
  return count;
}

std::size_t StopMatcher::release_all() {
  const std::size_t count = lengths_.size();
  lengths_.clear();
  held_bytes_ = 0;
  return count;
}

}  // namespace troupe
