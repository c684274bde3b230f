#include "prefix_roots.h"

#include "troupe/api/check.h"

namespace troupe::paged {

void PrefixRoots::reset() {
  by_key_.clear();
  roots_.clear();
  unused_.clear();
}

std::optional<std::uint32_t> PrefixRoots::find(std::string_view salt, std::string_view adapter) {
  const auto found = by_key_.find(root_key(salt, adapter, key_));
  if (found == by_key_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t PrefixRoots::find_or_add(std::string_view salt, std::string_view adapter,
                                       std::uint64_t new_id, const HashFunction& hash) {
  if (const auto found = find(salt, adapter)) return *found;
  std::uint32_t index = static_cast<std::uint32_t>(roots_.size());
  if (unused_.empty()) {
    roots_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  auto& root = roots_[index];
  root.id = new_id;
  root.hash = hash(std::as_bytes(std::span(key_)));
  root.users = 0;
  root.place = by_key_.emplace(key_, index).first;
  return index;
}

void PrefixRoots::remove_user(std::uint32_t index) {
  auto& root = roots_[index];
  TROUPE_CHECK(root.users > 0);
  if (--root.users > 0) return;
  by_key_.erase(root.place);
  root.id = 0;
  unused_.push_back(index);
}

Result<void> PrefixRoots::check(const std::vector<std::uint32_t>& counted_users) const {
  for (std::size_t i = 0; i < roots_.size(); ++i)
    if (roots_[i].users != counted_users[i] || (roots_[i].id == 0) != (counted_users[i] == 0))
      return fail(ErrorCode::internal,
                  "prefix root " + std::to_string(i) + ": " + std::to_string(roots_[i].users) +
                      " users in the books, " + std::to_string(counted_users[i]) + " counted");
  return {};
}

}  // namespace troupe::paged
